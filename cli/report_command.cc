#include <absl/status/status.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/api_options.h"
#include "cli/cluster_options.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/object_names.h"
#include "cli/output.h"
#include "cli/report_output.h"
#include "cli/report_source.h"
#include "kube/http_client.h"
#include "policies/admission/framework_profiles.h"
#include "policies/scheduling/health.h"
#include "process/engine.h"
#include "report/judge.h"
#include "report/plain_text.h"
#include "report/summary.h"
#include "report/survey.h"

namespace berth::cli {

namespace {

struct ReportArguments {
  std::vector<std::string> objects;
  ApiOptions api;
  std::string config;
  std::vector<std::string> excluded;
  OutputOptions output;
  std::string now;
};

constexpr const char* kReportFooter =
    R"(What is reported is what enforcing would do with each object if it were created again. Nothing that
runs is touched, by the report or by enforcing. The cluster is read once: from --objects, or through
the API server (--kubeconfig, $KUBECONFIG, ~/.kube/config or the credentials of the pod, the first
of them that exists). A dump is read as a stream:

  kubectl get nodes,namespaces,pods,jobs,cronjobs -A -o json | berth report --objects -

With -n the report is made of the objects of one namespace and of all nodes: what pods of other
namespaces request of these is not counted. Rights to that namespace are enough, and what may not be
listed, pods aside, is named in the report.

-o wide has all namespaces, and says by which policy objects are denied in each. docs/report.md
describes all outputs.

Exit codes: 0 the report could be made, whatever it says, even if some objects cannot be read; 1 the
API server did not answer, or refused to list pods; 2 wrong usage or files.)";

absl::StatusOr<model::Time> ReportTime(const std::string& text) {
  if (text.empty()) return process::Now();
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, &error)) {
    return absl::InvalidArgumentError("--now: " + error);
  }
  return model::Time(model::Duration(absl::ToUnixSeconds(time)));
}

std::vector<std::string_view> OnlyWarning(const policies::admission::AdmissionConfig& config) {
  std::vector<std::string_view> names;
  policies::ForEachPolicy(
      config.policies,
      [&]<typename Policy>(const policies::admission::PolicySettings<Policy>& settings) {
        if (settings.mode == policies::admission::Mode::kWarn) names.push_back(Policy::kName);
      });
  return names;
}

report::Judge MakeJudge(const config::BerthConfiguration& config, const process::Engine& engine,
                        const std::string& only_namespace) {
  const policies::admission::AdmissionConfig& judgement = config.admission.judgement;
  return report::Judge({.reviewer = process::MakeReviewer(config),
                        .scheduling = engine.scheduling,
                        .controllers = policies::admission::AllControllers(judgement),
                        .only_warning = OnlyWarning(judgement),
                        .only_namespace = only_namespace});
}

absl::StatusOr<std::vector<std::string>> Fill(const ReportArguments& arguments,
                                              const report::Judge& judge, report::Survey& survey) {
  if (!arguments.objects.empty()) return SurveyFiles(arguments.objects, judge, survey);
  auto access = AccessOf(arguments.api);
  if (!access.ok()) return access.status();
  kube::HttpClient client(*std::move(access));
  return SurveyCluster(client, arguments.api.namespace_name, judge, survey);
}

absl::StatusOr<report::Report> MakeReport(const ReportArguments& arguments) {
  const std::string& only_namespace = arguments.api.namespace_name;
  const auto config = LoadConfig(arguments.config);
  if (!config.ok()) return config.status();
  const auto now = ReportTime(arguments.now);
  if (!now.ok()) return now.status();
  const process::Engine engine = process::MakeEngine(*config);
  const report::Judge judge = MakeJudge(*config, engine, only_namespace);
  report::Survey survey(engine.catalog);
  auto notes = Fill(arguments, judge, survey);
  if (!notes.ok()) return notes.status();
  using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  report::Report report =
      report::Summarize(survey,
                        {.engine = engine.scheduling,
                         .health = std::get<Health>(config->scheduling.policies.all).config,
                         .excluded_namespaces = NamespacesIn(arguments.excluded),
                         .lists_all = arguments.output.format == "objects"},
                        *now);
  report.notes.insert(report.notes.begin(), notes->begin(), notes->end());
  if (!only_namespace.empty()) {
    report.notes.insert(
        report.notes.begin(),
        report::PlainText(fmt::format("only the namespace {} is reported: what pods of others "
                                      "request of the same nodes is not counted",
                                      only_namespace),
                          report::kMaxSentence));
  }
  return report;
}

int RunReport(const ReportArguments& arguments) {
  const auto report = MakeReport(arguments);
  if (!report.ok()) return Fail("report", report.status());
  if (arguments.output.format == "html") {
    fmt::print("{}", ReportHtml(*report));
  } else if (arguments.output.format == "objects") {
    fmt::print("{}", ReportObjects(*report));
  } else {
    PrintAnswer(
        arguments.output, [&] { return ReportJson(*report); },
        [&](const TableStyle& style) { return ReportText(*report, style); });
  }
  return kExitOk;
}

}  // namespace

void AddReportCommand(Command berth) {
  Command report = berth.AddCommand(
      "report", "Show what enforcing would change in a cluster, before Berth is installed");
  const auto arguments = std::make_shared<ReportArguments>();
  Argument objects = report.AddRepeatable(
      "--objects", arguments->objects,
      "Output of `kubectl get ... -A -o json`, instead of an API server; - for standard input; may "
      "be given several times");
  const auto [kubeconfig, context] = AddApiOptions(report, arguments->api);
  AddNamespaceOption(report, arguments->api.namespace_name,
                     "Namespace whose objects are reported (default: all)");
  objects.NotEmpty().Excludes(kubeconfig).Excludes(context).Completes(Candidates::kFiles);
  report.AddOption("--config", arguments->config,
                   "Berth's configuration, as it would be installed (default: built in)");
  report
      .AddRepeatable(
          "--exclude-namespace", arguments->excluded,
          "Namespaces that the webhook will not be asked about, besides kube-system, as "
          "in the chart's admission.excludedNamespaces, separated by commas; may be given several "
          "times")
      .Checked(CheckNamespaceList);
  AddOutputOption(
      report, arguments->output,
      {{"html", "one self-contained page"}, {"objects", "a line of JSON for each object"}});
  report.AddOption("--now", arguments->now, "Judge as of this time, RFC 3339").Hidden();
  report.Footer(kReportFooter);
  report.Run([arguments] { return RunReport(*arguments); });
}

}  // namespace berth::cli
