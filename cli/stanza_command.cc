#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "certs/certificate.h"
#include "cli/chart_objects.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/stanza.h"
#include "model/accelerator.h"
#include "yaml/file.h"

namespace berth::cli {

namespace {

constexpr const char* kStanzaFooter =
    R"(For your own kube-scheduler, if the chart is installed with scheduler.enabled=false. The URL has the ClusterIP
of the Service, because a kube-scheduler that runs as a static pod cannot resolve names of Services. What you
give with --url, --ca-file and --config is not read from the cluster; with all three, nothing is. --cert and
--key are paths on kube-scheduler's machine, and are not read here.

Exit codes: 0 ok; 1 the API server did not answer, or an object is missing; 2 wrong usage or files.)";

constexpr const char* kNotInstalled =
    "is the chart installed with scheduler.enabled=false, in this namespace and under this release "
    "name?";

constexpr std::size_t kMaxAuthorityBytes = std::size_t{1} << 20;

struct StanzaArguments {
  ChartOptions chart;
  std::string url;
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
  bool ignorable = false;
};

std::string NameOf(const ChartOptions& chart, std::string_view suffix) {
  return doctor::FullnameOf(chart.release) + std::string(suffix);
}

absl::StatusOr<std::string> UrlOf(const StanzaArguments& arguments, kube::Api& api) {
  if (!arguments.url.empty()) return arguments.url;
  const std::string name = NameOf(arguments.chart, "-extender");
  const std::string& space = arguments.chart.namespace_name;
  const auto service = doctor::GatherService(api, space, name);
  if (absl::IsNotFound(service.status())) {
    return absl::NotFoundError(
        fmt::format("there is no Service {} in namespace {}: {}", name, space, kNotInstalled));
  }
  if (!service.ok()) return service.status();
  if (!service->cluster_ips.empty()) return HttpsUrl(service->cluster_ips.front());
  return absl::NotFoundError(
      fmt::format("Service {}/{} has no ClusterIP; give --url https://HOST:PORT", space, name));
}

absl::StatusOr<std::string> AuthoritiesOf(const StanzaArguments& arguments, kube::Api& api) {
  if (!arguments.ca_file.empty()) {
    auto pem = yaml::ReadFile(arguments.ca_file, kMaxAuthorityBytes);
    if (pem.ok()) return pem;
    return absl::InvalidArgumentError(
        fmt::format("--ca-file: {}: {}", arguments.ca_file, std::string(pem.status().message())));
  }
  const std::string name = NameOf(arguments.chart, "-extender-tls");
  const auto secret = doctor::GatherSecret(api, arguments.chart.namespace_name, name);
  if (!secret.ok()) return secret.status();
  if (secret->exists && !secret->authorities.empty()) return secret->authorities;
  return absl::NotFoundError(
      fmt::format("Secret {}/{} has no ca.crt yet: {} Otherwise give --ca-file FILE",
                  arguments.chart.namespace_name, name, kNotInstalled));
}

absl::Status CheckPem(const StanzaArguments& arguments, const std::string& pem) {
  const absl::Status status = certs::ParseCertificates(pem).status();
  if (status.ok()) return status;
  const std::string source =
      arguments.ca_file.empty() ? "ca.crt of the Secret" : "--ca-file: " + arguments.ca_file;
  return absl::InvalidArgumentError(fmt::format("{} {}", source, std::string(status.message())));
}

std::vector<std::string> ResourcesOf(const config::BerthConfiguration& config) {
  std::vector<std::string> resources;
  for (const model::AcceleratorSpec& spec : config.accelerators) {
    resources.push_back(spec.resource);
    for (const model::DeviceSlice& slice : spec.slices) resources.push_back(slice.resource);
  }
  std::ranges::sort(resources);
  resources.erase(std::unique(resources.begin(), resources.end()), resources.end());
  return resources;
}

// Stands for the API server if the options give everything. No call is made.
class NoTransport final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest&, kube::HttpSink&) override {
    return absl::InternalError("there is no API server to ask");
  }
  void Stop() override {}
};

absl::StatusOr<std::unique_ptr<kube::Transport>> TransportFor(const StanzaArguments& arguments) {
  const bool offline =
      !arguments.url.empty() && !arguments.ca_file.empty() && !arguments.chart.config_file.empty();
  if (offline) return std::make_unique<NoTransport>();
  return Connect(arguments.chart);
}

// An extender that asks for client certificates refuses connections without one.
absl::Status CheckClientCertificate(const StanzaArguments& arguments,
                                    const config::BerthConfiguration& config) {
  if (config.extender.tls.client_ca_file.empty() || !arguments.cert_file.empty()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      "the extender requires client certificates (extender.tls.clientCAFile), as it does with the "
      "chart's own kube-scheduler; give --cert FILE and --key FILE, paths on kube-scheduler's "
      "machine, or install the chart with scheduler.enabled=false");
}

absl::StatusOr<std::string> MakeStanza(const StanzaArguments& arguments) {
  if (!arguments.url.empty()) {
    const absl::Status valid = ValidateExtenderUrl("--url", arguments.url);
    if (!valid.ok()) return valid;
  }
  auto transport = TransportFor(arguments);
  if (!transport.ok()) return transport.status();
  kube::Api api(transport->get());
  const auto config = LoadChartConfig(arguments.chart, api);
  if (!config.ok()) return config.status();
  const absl::Status shown = CheckClientCertificate(arguments, *config);
  if (!shown.ok()) return shown;
  const auto url = UrlOf(arguments, api);
  if (!url.ok()) return url.status();
  std::string pem;
  if (url->starts_with("https:")) {
    auto read = AuthoritiesOf(arguments, api);
    if (!read.ok()) return read.status();
    pem = *std::move(read);
    const absl::Status valid = CheckPem(arguments, pem);
    if (!valid.ok()) return valid;
  }
  // The certificate of cert-manager, or of files, may have the Service's names alone.
  const std::string service = fmt::format("{}.{}.svc", NameOf(arguments.chart, "-extender"),
                                          arguments.chart.namespace_name);
  return StanzaYaml({.url = *url,
                     .authorities = pem,
                     .server_name = arguments.url.empty() ? service : "",
                     .resources = ResourcesOf(*config),
                     .ignorable = arguments.ignorable,
                     .certificate_file = arguments.cert_file,
                     .key_file = arguments.key_file});
}

int RunStanza(const StanzaArguments& arguments) {
  const auto yaml = MakeStanza(arguments);
  if (!yaml.ok()) return Fail("stanza", yaml.status());
  fmt::print("{}", *yaml);
  return kExitOk;
}

}  // namespace

void AddStanzaCommand(Command berth) {
  Command stanza =
      berth.AddCommand("stanza", "Print Berth's entry for your own kube-scheduler's configuration");
  const auto arguments = std::make_shared<StanzaArguments>();
  AddChartOptions(stanza, arguments->chart);
  stanza.AddOption(
      "--url", arguments->url,
      "URL at which kube-scheduler reaches the extender (default: that of its Service)");
  stanza.AddOption("--ca-file", arguments->ca_file,
                   "CA of the extender's certificate, PEM (default: ca.crt of its Secret)");
  Argument cert = stanza.AddOption("--cert", arguments->cert_file,
                                   "Client certificate of kube-scheduler, a path on its machine");
  Argument key = stanza.AddOption("--key", arguments->key_file,
                                  "Key of that certificate, a path on the same machine");
  cert.Needs(key);
  key.Needs(cert);
  stanza.AddFlag("--ignorable", arguments->ignorable,
                 "While the extender is unreachable, kube-scheduler places pods without it");
  stanza.Footer(kStanzaFooter);
  stanza.Run([arguments] { return RunStanza(*arguments); });
}

}  // namespace berth::cli
