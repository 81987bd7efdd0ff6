#include <absl/status/status.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/api_options.h"
#include "cli/cluster_options.h"
#include "cli/cluster_source.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/explanation_output.h"
#include "cli/gang_output.h"
#include "cli/gang_report.h"
#include "cli/object_names.h"
#include "cli/output.h"
#include "cli/placement_client.h"
#include "cli/pod_manifest.h"
#include "cli/pod_watch.h"
#include "kube/http_client.h"
#include "model/suggest.h"
#include "placement/placement_messages.h"
#include "process/engine.h"

namespace berth::cli {

namespace {

using model::DidYouMean;
using v1::ExplainResponse;
using v1::NodeExplanation;

struct ExplainArguments {
  std::string pod_file;
  std::string pod_name;
  std::string gang;
  ClusterOptions cluster;
  std::string node;
  OutputOptions output;
  bool watch = false;
  std::string now;
};

constexpr const char* kExplainFooter =
    R"(The cluster is read once, through the API server (--kubeconfig, $KUBECONFIG, ~/.kube/config or the
credentials of the pod, the first of them that exists) or offline from --objects. The answer is that
of `berth extender` with the same --config. With --server, a running extender answers from memory.
docs/explain.md describes -o json and yaml. With --gang, the answer is what the API server has stored of the
gang's pods. With --watch, the present state of a pod comes first, and then each change with its time, until
the pod runs.

Exit codes: 0 a node fits (with --node: that node; with --gang: all pods are bound), or the pod asks
for no accelerator; 1 no node fits, there is no such gang, or the API server did not answer; 2 wrong
usage or files. With --watch: 0 the pod runs or has succeeded; 1 it has failed or is gone; 130 Ctrl-C.)";

void AddOptions(Command explain, ExplainArguments& arguments) {
  const Argument file = explain.AddOption(
      "-f,--filename", arguments.pod_file,
      "YAML or JSON of a pod, or of a Job, Deployment, ... with a pod template; - "
      "for standard input");
  Argument pod = explain.AddOption("pod", arguments.pod_name, "Name of a pod in the cluster")
                     .Checked(CheckPodName)
                     .Completes(Candidates::kPods);
  AddNamespaceOption(explain, arguments.cluster.api.namespace_name,
                     "Namespace of the pod (default: that of the context)")
      .Needs(pod);
  const ClusterArguments cluster = AddClusterOptions(explain, arguments.cluster);
  const Argument node =
      explain.AddOption("--node", arguments.node, "Explain only this node, in detail")
          .NotEmpty()
          .Completes(Candidates::kNodes);
  explain
      .AddOption("--gang", arguments.gang,
                 "Show a gang instead, as NAMESPACE/NAME: its state, why it "
                 "waits, and where its pods are planned")
      .NotEmpty()
      .Excludes(file)
      .Excludes(pod)
      .Excludes(node)
      .Excludes(cluster.objects)
      .Excludes(cluster.server)
      .Completes(Candidates::kGangsAnywhere);
  explain.AddFlag("-w,--watch", arguments.watch, "Follow a pod of the cluster until it runs")
      .Needs(pod)
      .Excludes(node)
      .Excludes(cluster.server);
  AddOutputOption(explain, arguments.output);
  explain.AddOption("--now", arguments.now, "Judge as of this time, RFC 3339")
      .Hidden()
      .Excludes(cluster.server);
  pod.Excludes(file).Excludes(cluster.objects);
}

absl::StatusOr<model::Time> TimeOf(const std::string& text) {
  if (text.empty()) return process::Now();
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, &error))
    return absl::InvalidArgumentError("--now: " + error);
  return model::Time(model::Duration(absl::ToUnixSeconds(time)));
}

// Returns the pod to explain, and fills `snapshot` with the cluster.
absl::StatusOr<PodManifest> LoadOffline(const ExplainArguments& arguments,
                                        cluster::Snapshot& snapshot) {
  if (arguments.pod_file == arguments.cluster.objects_file) {
    return absl::InvalidArgumentError(
        "-f and --objects name the same file; give the pod and the cluster separately");
  }
  auto manifest = ReadPodManifest(arguments.pod_file);
  if (!manifest.ok()) return manifest;
  const absl::Status loaded = LoadObjectsFile(arguments.cluster.objects_file, snapshot);
  if (!loaded.ok()) return loaded;
  return manifest;
}

absl::StatusOr<PodManifest> LoadLive(const ExplainArguments& arguments, bool services,
                                     cluster::Snapshot& snapshot) {
  PodManifest manifest;
  if (arguments.pod_name.empty()) {
    auto read = ReadPodManifest(arguments.pod_file);
    if (!read.ok()) return read;
    manifest = *std::move(read);
  }
  const auto access = AccessOf(arguments.cluster.api);
  if (!access.ok()) return access.status();
  kube::HttpClient client(*access);
  if (!arguments.pod_name.empty()) {
    const std::string namespace_name = NamespaceOf(arguments.cluster.api);
    auto pod = GetPod(client, namespace_name, arguments.pod_name);
    if (!pod.ok()) return pod.status();
    manifest.pod = *std::move(pod);
    manifest.what = fmt::format("Pod {}/{}", namespace_name, arguments.pod_name);
  }
  const absl::Status loaded = LoadCluster(client, snapshot);
  if (!loaded.ok()) return loaded;
  if (snapshot.Read().EndIndex() == 0) return absl::NotFoundError("the cluster has no nodes");
  // If the user may not list Services, the explanation says that they are not known.
  if (services) LoadServices(client, snapshot).IgnoreError();
  return manifest;
}

absl::StatusOr<const NodeExplanation*> FindNode(const ExplainResponse& explanation,
                                                const std::string& name) {
  std::vector<std::string_view> names;
  for (const NodeExplanation& node : explanation.nodes()) {
    if (node.name() == name) return &node;
    names.push_back(node.name());
  }
  return absl::InvalidArgumentError(
      fmt::format("--node: there is no node {}{}", name, DidYouMean(name, names)));
}

// An explanation and the pod that it is about.
struct Explained {
  PodManifest manifest;
  ExplainResponse explanation;
};

void Print(const ExplainArguments& arguments, const Explained& explained,
           const NodeExplanation* node) {
  const ExplainResponse& explanation = explained.explanation;
  const std::string& what = explained.manifest.what;
  const model::Pod& pod = explained.manifest.pod;
  // Nobody corrects the condition of a pod that has ended before it was bound.
  const std::string unschedulable = pod.terminated ? "" : pod.unschedulable;
  PrintAnswer(
      arguments.output, [&] { return ExplanationJson(explanation, what, node, unschedulable); },
      [&](const TableStyle& style) {
        return node != nullptr ? NodeText(*node, explanation, what, style)
                               : ExplanationText(explanation, what, style, unschedulable);
      });
}

absl::StatusOr<Explained> ExplainLocally(const ExplainArguments& arguments) {
  const auto config = LoadConfig(arguments.cluster.config_file);
  if (!config.ok()) return config.status();
  const auto now = TimeOf(arguments.now);
  if (!now.ok()) return now.status();
  const process::Engine engine = process::MakeEngine(*config);
  cluster::Snapshot snapshot({.catalog = engine.catalog, .labels = {}});
  const bool live = arguments.cluster.objects_file.empty();
  // A file of objects has no Services, so the explanation leaves the shortlist out.
  const auto shortlist =
      live ? config->extender.shortlist : policies::scheduling::ShortlistConfig();
  auto manifest = live ? LoadLive(arguments, shortlist.NeedsServices(), snapshot)
                       : LoadOffline(arguments, snapshot);
  if (!manifest.ok()) return manifest.status();
  placement::Explanation explanation =
      placement::Explain(manifest->pod, snapshot, *engine.scheduling, shortlist, *now);
  placement::AddPlanHints(manifest->pod, config->planner, config->prefix, explanation);
  placement::AddGateHints(manifest->pod, config->prefix, explanation);
  return Explained{*std::move(manifest), placement::ToMessage(explanation)};
}

absl::StatusOr<Explained> AskServer(const ExplainArguments& arguments) {
  if (arguments.pod_file.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "--server explains manifests: kubectl get pod {} -n {} -o json | "
        "berth explain -f - --server {}",
        arguments.pod_name,
        arguments.cluster.api.namespace_name.empty() ? "NAMESPACE"
                                                     : arguments.cluster.api.namespace_name,
        arguments.cluster.server.address));
  }
  const absl::Status valid = Validate(arguments.cluster.server);
  if (!valid.ok()) return valid;
  auto manifest = ReadPodManifest(arguments.pod_file);
  if (!manifest.ok()) return manifest.status();
  auto explanation = ExplainBy(arguments.cluster.server, manifest->json);
  if (!explanation.ok()) return explanation.status();
  return Explained{*std::move(manifest), *std::move(explanation)};
}

// Prints what the user asked for, and returns the exit code.
absl::StatusOr<int> Show(const ExplainArguments& arguments, const Explained& explained) {
  const auto& [manifest, explanation] = explained;
  for (const std::string& skipped : manifest.skipped) {
    PrintHint(fmt::format("skipped: {}", skipped));
  }
  const bool concerned = !explanation.requests().empty();
  if (arguments.node.empty() || !concerned) {
    Print(arguments, explained, nullptr);
    return concerned && explanation.fitting() == 0 ? kExitNo : kExitOk;
  }
  const auto node = FindNode(explanation, arguments.node);
  if (!node.ok()) return node.status();
  Print(arguments, explained, *node);
  return (*node)->fits() ? kExitOk : kExitNo;
}

absl::StatusOr<int> ExplainPod(const ExplainArguments& arguments) {
  if (arguments.pod_file.empty() && arguments.pod_name.empty()) {
    return absl::InvalidArgumentError("give a manifest with -f FILE, or the name of a pod");
  }
  const auto explained =
      arguments.cluster.UsesServer() ? AskServer(arguments) : ExplainLocally(arguments);
  if (!explained.ok()) return explained.status();
  return Show(arguments, *explained);
}

absl::StatusOr<int> ExplainGang(const ExplainArguments& arguments) {
  const auto config = LoadConfig(arguments.cluster.config_file);
  if (!config.ok()) return config.status();
  auto access = AccessOf(arguments.cluster.api);
  if (!access.ok()) return access.status();
  kube::HttpClient client(*std::move(access));
  const auto report = ReadGang(arguments.gang, model::GangNames(config->prefix), client);
  if (!report.ok()) return report.status();
  PrintAnswer(
      arguments.output, [&] { return GangJson(*report); },
      [&](const TableStyle& style) { return GangText(*report, style); });
  return report->state == "bound" ? kExitOk : kExitNo;
}

absl::StatusOr<int> FollowPod(const ExplainArguments& arguments) {
  if (arguments.output.format != "table") {
    return absl::InvalidArgumentError("--watch prints lines as they come; leave -o out");
  }
  auto config = LoadConfig(arguments.cluster.config_file);
  if (!config.ok()) return config.status();
  const auto access = AccessOf(arguments.cluster.api);
  if (!access.ok()) return access.status();
  return WatchPod({.api = *access,
                   .namespace_name = NamespaceOf(arguments.cluster.api),
                   .pod = arguments.pod_name,
                   .config = *std::move(config),
                   .terminal = StandardOutput()});
}

absl::StatusOr<int> Explain(const ExplainArguments& arguments) {
  if (arguments.watch) return FollowPod(arguments);
  return arguments.gang.empty() ? ExplainPod(arguments) : ExplainGang(arguments);
}

int RunExplain(const ExplainArguments& arguments) {
  const auto exit_code = Explain(arguments);
  return exit_code.ok() ? *exit_code : Fail("explain", exit_code.status());
}

}  // namespace

void AddExplainCommand(Command berth) {
  Command explain = berth.AddCommand(
      "explain", "Show which nodes fit a pod, how they rank, and why the others do not fit");
  const auto arguments = std::make_shared<ExplainArguments>();
  AddOptions(explain, *arguments);
  explain.Footer(kExplainFooter);
  explain.Run([arguments] { return RunExplain(*arguments); });
}

}  // namespace berth::cli
