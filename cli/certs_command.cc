#include "cli/certs_command.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/api_access.h"
#include "cli/certs_renewal.h"
#include "cli/certs_view.h"
#include "cli/config_reader.h"
#include "cli/engine.h"
#include "cli/exit_code.h"
#include "controller/object_client.h"
#include "kube/http_client.h"
#include "kube/kubeconfig.h"

namespace berth::cli {

namespace {

constexpr const char* kShowFooter =
    R"(Which Secrets there are is read from Berth's configuration: that of the chart's ConfigMap, or
--config. The API server is that of --kubeconfig, $KUBECONFIG, ~/.kube/config or the credentials of
the pod, the first there is; Secrets have to be readable. Keys are not looked at but to see that
they fit. docs/certificates.md tells what the controller does by itself, and describes -o json.

Exit codes: 0 all is well; 1 there is a problem, or no answer; 2 wrong usage or configuration.)";

constexpr const char* kRenewFooter =
    R"(Asks the controller, which does it within ten seconds, by an annotation of the Secrets: those of all
servers unless some are named. Another authority (--authority) is trusted together with the former
one until that ends, servers' certificates follow it, and nothing has to be started again; see
docs/certificates.md for what to do when a key has leaked.

Exit codes: 0 asked; 1 no answer; 2 wrong usage or configuration.)";

/// Where the certificates are.
struct Place {
  std::string kubeconfig;
  std::string context;
  std::string config_file;
  std::string namespace_name = "berth-system";
  std::string release = "berth";
};

void AddPlace(Command command, Place& place) {
  command.AddOption("--kubeconfig", place.kubeconfig, "Of the API server");
  command.AddOption("--context", place.context, "Of the kubeconfig");
  command.AddOption("--config", place.config_file,
                    "Berth's configuration (default: that of the chart's ConfigMap)");
  command.AddOption("-n,--namespace", place.namespace_name, "Where the chart is installed");
  command.AddOption("--release", place.release, "The name that it was given to helm by");
}

/// A cluster, and the configuration of the controller in it.
struct Cluster {
  std::unique_ptr<kube::HttpClient> http;
  std::unique_ptr<controller::ObjectClient> client;
  BerthConfiguration config;
  std::string namespace_name;
};

// As the chart names its objects.
std::string FullnameOf(const std::string& release) {
  return release.find("berth") == std::string::npos ? release + "-berth" : release;
}

absl::StatusOr<ConfigReading> ReadChartConfig(const Place& place,
                                              controller::ObjectClient& client) {
  const std::string name = FullnameOf(place.release);
  const auto object = client.Get(controller::ConfigMapsIn(place.namespace_name), name);
  if (absl::IsNotFound(object.status())) {
    return absl::NotFoundError(fmt::format(
        "there is no ConfigMap {} in namespace {}; give --namespace and --release as they were "
        "given to helm, or --config FILE",
        name, place.namespace_name));
  }
  if (!object.ok()) return object.status();
  return ParseConfig(object->ConfigMapValue("config.yaml").value_or(""), "ConfigMap " + name);
}

absl::StatusOr<Cluster> Connect(const Place& place) {
  auto access = PersonAccess(place.kubeconfig, place.context, kube::ProcessEnvironment());
  if (!access.ok()) return absl::InvalidArgumentError(access.status().message());
  Cluster cluster{.http = std::make_unique<kube::HttpClient>(*std::move(access)),
                  .namespace_name = place.namespace_name};
  cluster.client = std::make_unique<controller::ObjectClient>(cluster.http.get());
  auto reading = place.config_file.empty() ? ReadChartConfig(place, *cluster.client)
                                           : ReadConfig(place.config_file);
  if (!reading.ok()) return reading.status();
  if (!reading->ok()) return absl::InvalidArgumentError(ToString(reading->errors));
  cluster.config = std::move(reading->config);
  const std::string& configured = cluster.config.controller.lease.namespace_name;
  if (!configured.empty()) cluster.namespace_name = configured;
  return cluster;
}

int Fail(const char* command, const absl::Status& status) {
  fmt::print(stderr, "berth certs {}: {}\n", command, std::string(status.message()));
  return absl::IsInvalidArgument(status) ? kExitUsage : kExitNo;
}

struct ShowArguments {
  Place place;
  std::string output = "table";
};

int Show(const ShowArguments& arguments) {
  const auto cluster = Connect(arguments.place);
  if (!cluster.ok()) return Fail("show", cluster.status());
  const CertificatesConfig& config = cluster->config.controller.certificates;
  if (config.servers.empty()) {
    return Fail("show", absl::FailedPreconditionError(
                            "controller.certificates.servers is empty: the controller makes no "
                            "certificates; look at them where they are made"));
  }
  const auto view = ReadCerts(config, cluster->namespace_name, Now(), *cluster->client);
  if (!view.ok()) return Fail("show", view.status());
  fmt::print("{}", arguments.output == "json" ? CertsJson(*view) : CertsText(*view));
  return view->AllWell() ? kExitOk : kExitNo;
}

struct RenewArguments {
  Place place;
  std::vector<std::string> secrets;
  bool authority = false;
};

int Renew(const RenewArguments& arguments) {
  const auto cluster = Connect(arguments.place);
  if (!cluster.ok()) return Fail("renew", cluster.status());
  const auto secrets = SecretsToRenew(cluster->config.controller.certificates, arguments.secrets,
                                      arguments.authority);
  if (!secrets.ok()) return Fail("renew", secrets.status());
  for (const std::string& secret : *secrets) {
    const absl::Status status = AskForRenewal(cluster->namespace_name, secret,
                                              cluster->config.prefix, Now(), *cluster->client);
    if (!status.ok()) return Fail("renew", status);
    fmt::print("{}/{}: asked the controller for a new certificate\n", cluster->namespace_name,
               secret);
  }
  return kExitOk;
}

void AddShowCommand(Command certs) {
  Command show = certs.AddCommand("show", "Show the certificates in Berth's Secrets");
  const auto arguments = std::make_shared<ShowArguments>();
  AddPlace(show, arguments->place);
  show.AddOption("-o,--output", arguments->output, "table or json").OneOf({"table", "json"});
  show.Footer(kShowFooter);
  show.Run([arguments] { return Show(*arguments); });
}

void AddRenewCommand(Command certs) {
  Command renew = certs.AddCommand("renew", "Have the controller make new certificates now");
  const auto arguments = std::make_shared<RenewArguments>();
  renew.AddList("SECRET", arguments->secrets, "Secrets of servers; none: all");
  AddPlace(renew, arguments->place);
  renew.AddFlag("--authority", arguments->authority, "Make another authority");
  renew.Footer(kRenewFooter);
  renew.Run([arguments] { return Renew(*arguments); });
}

}  // namespace

void AddCertsCommand(Command berth) {
  Command certs =
      berth.AddCommand("certs", "Show and renew the certificates that the controller makes");
  certs.RequireCommand();
  AddShowCommand(certs);
  AddRenewCommand(certs);
}

}  // namespace berth::cli
