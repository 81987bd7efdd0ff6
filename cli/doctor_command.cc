#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/chart_objects.h"
#include "cli/commands.h"
#include "cli/component_needs.h"
#include "cli/doctor_output.h"
#include "cli/exit_code.h"
#include "cli/object_names.h"
#include "cli/stanza.h"
#include "doctor/check.h"
#include "doctor/checks/all.h"
#include "doctor/gather.h"
#include "doctor/rights.h"
#include "kube/http_client.h"
#include "kube/proxy.h"
#include "kube/server_url.h"
#include "model/annotation.h"
#include "model/suggest.h"
#include "process/engine.h"

namespace berth::cli {

namespace {

using doctor::Check;
using doctor::Source;

constexpr const char* kDoctorFooter =
    R"(Checks a cluster in which Berth's chart is installed, changes nothing, and reports what is wrong and how to fix
it; docs/doctor.md lists the checks. It reads through the API server: --kubeconfig, $KUBECONFIG, ~/.kube/config
or the credentials of the pod, the first of them that exists. If you run your own kube-scheduler, give its
configuration file with --scheduler-config. --extender posts a real filter request.

Exit codes: 0 all is well; 1 there are problems or warnings; 2 something could not be checked, or wrong usage.)";

struct DoctorArguments {
  ChartOptions chart;
  std::string scheduler_config;
  std::string only;
  std::string skip;
  std::string trial_namespace = doctor::Place().trial_namespace;
  std::string extender;
  std::string accelerator;
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
  std::string output = "table";
  bool rbac = false;

  doctor::Place Where() const {
    return {.namespace_name = chart.namespace_name,
            .release = chart.release,
            .trial_namespace = trial_namespace};
  }
};

absl::StatusOr<std::set<std::string, std::less<>>> NamesIn(const std::string& option,
                                                           const std::string& text) {
  std::vector<std::string_view> known;
  for (const Check& check : doctor::checks::All()) known.push_back(check.name);
  std::set<std::string, std::less<>> names;
  for (const std::string_view name : model::SplitList(text)) {
    if (std::ranges::find(known, name) == known.end()) {
      return absl::InvalidArgumentError(fmt::format("{}: there is no check {}{}; the checks are {}",
                                                    option, name, model::DidYouMean(name, known),
                                                    model::Join(known)));
    }
    names.emplace(name);
  }
  return names;
}

absl::StatusOr<std::vector<Check>> Selected(const DoctorArguments& arguments) {
  const auto only = NamesIn("--only", arguments.only);
  if (!only.ok()) return only.status();
  const auto skip = NamesIn("--skip", arguments.skip);
  if (!skip.ok()) return skip.status();
  std::vector<Check> selected;
  for (const Check& check : doctor::checks::All()) {
    if (skip->contains(check.name)) continue;
    if (only->empty() || only->contains(check.name)) selected.push_back(check);
  }
  if (selected.empty()) return absl::InvalidArgumentError("--skip leaves no check");
  return selected;
}

std::set<Source> SourcesOf(const std::vector<Check>& checks) {
  std::set<Source> sources;
  for (const Check& check : checks) {
    sources.insert(check.needs.begin(), check.needs.end());
    sources.insert(check.uses.begin(), check.uses.end());
  }
  return sources;
}

// A client of the extender that --extender names. Has no connection without that option.
class ExtenderClient {
 public:
  // `trusted` are the authorities, as PEM, to use without --ca-file.
  static absl::StatusOr<ExtenderClient> Make(const DoctorArguments& arguments,
                                             const std::string& trusted) {
    ExtenderClient client;
    if (arguments.extender.empty()) return client;
    const absl::Status valid = ValidateExtenderUrl("--extender", arguments.extender);
    if (!valid.ok()) return valid;
    kube::ApiConfig config;
    kube::ParseServerUrl(arguments.extender, config).IgnoreError();  // validated above
    config.certificate_authority = arguments.ca_file.empty()
                                       ? kube::TextSource::Text(trusted)
                                       : kube::TextSource::File(arguments.ca_file);
    if (!arguments.cert_file.empty()) {
      config.client_certificate = kube::TextSource::File(arguments.cert_file);
      config.client_key = kube::TextSource::File(arguments.key_file);
    }
    const absl::Status proxied = kube::UseProxyOf(kube::ProcessEnvironment(), config);
    if (!proxied.ok()) return proxied;
    client.http_ = std::make_unique<kube::HttpClient>(std::move(config));
    client.url_ = arguments.extender;
    client.accelerator_ = arguments.accelerator;
    return client;
  }

  doctor::ExtenderAccess access() const {
    return {.transport = http_.get(), .url = url_, .accelerator = accelerator_};
  }

 private:
  std::unique_ptr<kube::HttpClient> http_;
  std::string url_;
  std::string accelerator_;
};

absl::Status ValidateAccelerator(const std::string& name,
                                 const model::AcceleratorCatalog& catalog) {
  if (name.empty() || catalog.IndexOf(name) != model::AcceleratorCatalog::kNone) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("--accelerator: the catalogue has no {}{}; it has {}", name,
                  model::DidYouMean(name, catalog.names()), model::JoinSome(catalog.names())));
}

// The authorities in the extender's Secret, if the command line does not give any.
std::string AuthoritiesInCluster(const DoctorArguments& arguments, const doctor::Facts& facts,
                                 kube::Api& api) {
  if (arguments.extender.empty() || !arguments.ca_file.empty()) return "";
  const auto secret =
      doctor::GatherSecret(api, facts.namespace_name, doctor::ExtenderSecret(facts));
  return secret.ok() ? secret->authorities : "";
}

// Whether there is an API server at all. A user who may not read its version gets an answer, too,
// and the checks report missing rights.
absl::Status CheckReachable(kube::Api& api) {
  const absl::Status answered = api.Get("/version", {{"", "version", "get"}}, [](const auto&) {});
  return absl::IsPermissionDenied(answered) || absl::IsNotFound(answered) ? absl::OkStatus()
                                                                          : answered;
}

absl::Status TakeSchedulerConfig(const DoctorArguments& arguments, kube::Api& api,
                                 doctor::Facts& facts) {
  if (arguments.scheduler_config.empty()) {
    facts.scheduler = LoadSchedulerConfig(arguments.chart, api);
    return absl::OkStatus();
  }
  facts.scheduler = LoadSchedulerConfig(arguments.scheduler_config);
  return facts.scheduler.status();
}

absl::StatusOr<doctor::Findings> Look(const DoctorArguments& arguments,
                                      const std::vector<Check>& checks) {
  auto transport = Connect(arguments.chart);
  if (!transport.ok()) return transport.status();
  kube::Api api(transport->get());
  doctor::Facts facts{.now = process::Now(),
                      .namespace_name = arguments.chart.namespace_name,
                      .fullname = doctor::FullnameOf(arguments.chart.release)};
  const absl::Status answered = CheckReachable(api);
  if (!answered.ok()) return answered;
  const auto config = LoadChartConfig(arguments.chart, api);
  if (!config.ok()) return config.status();
  const process::Engine engine = process::MakeEngine(*config);
  const absl::Status known = ValidateAccelerator(arguments.accelerator, *engine.catalog);
  if (!known.ok()) return known;
  const std::set<Source> sources = SourcesOf(checks);
  if (sources.contains(Source::kScheduler)) {
    const absl::Status taken = TakeSchedulerConfig(arguments, api, facts);
    if (!taken.ok()) return taken;
  }
  const auto extender =
      ExtenderClient::Make(arguments, AuthoritiesInCluster(arguments, facts, api));
  if (!extender.ok()) return extender.status();
  const doctor::Rules rules{.config = *config, .catalog = *engine.catalog};
  const doctor::Questions questions{
      .place = arguments.Where(),
      .extender = extender->access(),
      .processes = NeedsOfProcesses(*config, arguments.chart.namespace_name)};
  doctor::Gather(sources, questions, rules, **transport, facts);
  return doctor::Examine(checks, facts, rules);
}

int RunDoctor(const DoctorArguments& arguments) {
  const auto checks = Selected(arguments);
  if (!checks.ok()) return Fail("doctor", kExitUsage, checks.status());
  if (arguments.rbac) {
    fmt::print("{}", doctor::DoctorRolesYaml(SourcesOf(*checks), arguments.Where()));
    return kExitOk;
  }
  const auto findings = Look(arguments, *checks);
  if (!findings.ok()) return Fail("doctor", kExitUsage, findings.status());
  fmt::print("{}", arguments.output == "json" ? FindingsJson(*findings) : FindingsText(*findings));
  return ExitCodeOf(*findings);
}

void AddExtenderOptions(Command doctor, DoctorArguments& arguments) {
  const Argument extender =
      doctor.AddOption("--extender", arguments.extender,
                       "Extender to call as kube-scheduler does: https://HOST:PORT");
  doctor
      .AddOption("--ca-file", arguments.ca_file,
                 "CA of the extender's certificate, PEM (default: ca.crt of its Secret)")
      .Needs(extender);
  doctor
      .AddOption("--accelerator", arguments.accelerator,
                 "Accelerator of the catalogue whose nodes the request is about (default: the "
                 "first resource that a node has)")
      .Needs(extender);
  Argument cert = doctor.AddOption("--cert", arguments.cert_file, "Client certificate, PEM");
  Argument key = doctor.AddOption("--key", arguments.key_file, "Key of the certificate, PEM");
  cert.Needs(extender);
  cert.Needs(key);
  key.Needs(cert);
}

}  // namespace

void AddDoctorCommand(Command berth) {
  Command doctor =
      berth.AddCommand("doctor", "Report what is wrong with Berth in a cluster, and how to fix it");
  const auto arguments = std::make_shared<DoctorArguments>();
  AddChartOptions(doctor, arguments->chart);
  doctor.AddOption("--scheduler-config", arguments->scheduler_config,
                   "kube-scheduler's configuration (default: that of the chart's ConfigMap)");
  doctor.AddOption("--only", arguments->only, "Run only these checks, separated by commas");
  doctor.AddOption("--skip", arguments->skip, "Skip these checks, separated by commas");
  doctor
      .AddOption("--trial-namespace", arguments->trial_namespace,
                 "Namespace in which check webhook creates a pod with dryRun")
      .Checked(CheckNamespaceName);
  AddExtenderOptions(doctor, *arguments);
  doctor.AddOption("-o,--output", arguments->output, "table or json").OneOf({"table", "json"});
  doctor.AddFlag("--rbac", arguments->rbac, "Print the roles that the checks need, and exit");
  doctor.Footer(kDoctorFooter);
  doctor.Run([arguments] { return RunDoctor(*arguments); });
}

}  // namespace berth::cli
