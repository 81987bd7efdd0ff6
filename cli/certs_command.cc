#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/certs_renewal.h"
#include "cli/certs_view.h"
#include "cli/chart_objects.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "controller/object_client.h"
#include "kube/json_api.h"
#include "kube/transport.h"
#include "process/engine.h"

namespace berth::cli {

namespace {

constexpr const char* kShowFooter =
    R"(Berth's configuration names the Secrets; it is read from the chart's ConfigMap, or from --config. The
API server is that of --kubeconfig, $KUBECONFIG, ~/.kube/config or the credentials of the pod, the
first of them that exists. You need the right to read Secrets. Keys are only compared with their
certificates. docs/certificates.md describes what the controller does by itself, and -o json.

Exit codes: 0 all is well; 1 there is a problem, or no answer; 2 wrong usage or configuration.)";

constexpr const char* kRenewFooter =
    R"(Annotates the Secrets, of all servers unless you name some; the controller then makes new
certificates within ten seconds. A new authority (--authority) is trusted together with the previous
one until that expires, new certificates of the servers follow, and nothing needs a restart.
docs/certificates.md describes what to do when a key has leaked.

Exit codes: 0 requested; 1 no answer; 2 wrong usage or configuration.)";

/// A cluster and Berth's configuration in it.
struct Cluster {
  std::unique_ptr<kube::Transport> transport;
  std::unique_ptr<controller::ObjectClient> client;
  config::BerthConfiguration config;
  std::string namespace_name;
};

absl::StatusOr<Cluster> ClusterOf(const ChartOptions& options) {
  auto transport = Connect(options);
  if (!transport.ok()) return transport.status();
  kube::Api api(transport->get());
  auto config = LoadChartConfig(options, api);
  if (!config.ok()) return config.status();
  Cluster cluster{.transport = *std::move(transport),
                  .config = *std::move(config),
                  .namespace_name = options.namespace_name};
  cluster.client = std::make_unique<controller::ObjectClient>(cluster.transport.get());
  const std::string& configured = cluster.config.controller.lease.namespace_name;
  if (!configured.empty()) cluster.namespace_name = configured;
  return cluster;
}

struct ShowArguments {
  ChartOptions chart;
  std::string output = "table";
};

int Show(const ShowArguments& arguments) {
  const auto cluster = ClusterOf(arguments.chart);
  if (!cluster.ok()) return Fail("certs show", cluster.status());
  const controller::CertificatesConfig& config = cluster->config.controller.certificates;
  if (config.servers.empty()) {
    return Fail("certs show", absl::FailedPreconditionError(
                                  "controller.certificates.servers is empty: the controller makes "
                                  "no certificates; check them with the tool that makes them"));
  }
  const auto view = ReadCerts(config, cluster->namespace_name, process::Now(), *cluster->client);
  if (!view.ok()) return Fail("certs show", view.status());
  fmt::print("{}", arguments.output == "json" ? CertsJson(*view) : CertsText(*view));
  return view->AllWell() ? kExitOk : kExitNo;
}

struct RenewArguments {
  ChartOptions chart;
  std::vector<std::string> secrets;
  bool authority = false;
};

int Renew(const RenewArguments& arguments) {
  const auto cluster = ClusterOf(arguments.chart);
  if (!cluster.ok()) return Fail("certs renew", cluster.status());
  const auto secrets = SecretsToRenew(cluster->config.controller.certificates, arguments.secrets,
                                      arguments.authority);
  if (!secrets.ok()) return Fail("certs renew", secrets.status());
  for (const std::string& secret : *secrets) {
    const absl::Status status = AskForRenewal(
        cluster->namespace_name, secret, cluster->config.prefix, process::Now(), *cluster->client);
    if (!status.ok()) return Fail("certs renew", status);
    fmt::print("{}/{}: requested a new certificate from the controller\n", cluster->namespace_name,
               secret);
  }
  return kExitOk;
}

void AddShowCommand(Command certs) {
  Command show = certs.AddCommand("show", "Show the certificates in Berth's Secrets");
  const auto arguments = std::make_shared<ShowArguments>();
  AddChartOptions(show, arguments->chart);
  show.AddOption("-o,--output", arguments->output, "table or json").OneOf({"table", "json"});
  show.Footer(kShowFooter);
  show.Run([arguments] { return Show(*arguments); });
}

void AddRenewCommand(Command certs) {
  Command renew = certs.AddCommand("renew", "Request new certificates from the controller");
  const auto arguments = std::make_shared<RenewArguments>();
  renew.AddList("SECRET", arguments->secrets, "Secrets of servers (default: all)");
  AddChartOptions(renew, arguments->chart);
  renew.AddFlag("--authority", arguments->authority, "Request a new authority");
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
