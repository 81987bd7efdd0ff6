#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {

/// Random pods, Jobs and requests, as the API server could bring them to a webhook: its defaults
/// are set, but its validation has not seen them. Odd values are as frequent as ordinary ones. The
/// same for the same seed, whatever is asked of it in the same order.
class RandomWorkload {
 public:
  explicit RandomWorkload(std::uint32_t seed) : random_(seed) {}

  /// A pod or a Job.
  model::Workload Next() { return Chance(2) ? Pod() : Job(); }

  model::Workload Pod() {
    model::Workload pod{.kind = "Pod", .pod = Template()};
    Name(pod);
    if (Chance(3)) pod.pod.node_name = "node-1";
    return pod;
  }

  model::Workload Job() {
    model::Workload job{.kind = "Job", .pod = Template(), .job = JobSpec()};
    Name(job);
    if (Chance(4)) job.annotations = {{"berth.dev/applied", "creator 0.0.1"}};
    if (job.owners.empty() && Chance(2)) {
      job.owners = {
          {.kind = "JobSet", .name = "o", .controller = true, .group = "jobset.x-k8s.io"}};
    }
    job.pod.restart_policy = OneOf<std::string>({"Never", "OnFailure"});
    // Kubernetes takes these with Never only.
    if (job.job->failure_rules || job.job->backoff_limit_per_index) {
      job.pod.restart_policy = "Never";
    }
    return job;
  }

  /// Of a person, or of a controller for what the workload says is its owner.
  admission::Request Request(Mode mode) {
    const auto account = [](const std::string& name) {
      return "system:serviceaccount:kube-system:" + name;
    };
    return {.namespace_name = "team",
            .user = {.name = OneOf<std::string>({"alice", "alice", account("job-controller"),
                                                 account("statefulset-controller"),
                                                 account("replicaset-controller"),
                                                 "system:serviceaccount:jobset-system:manager"}),
                     .groups = {}},
            .mode = mode,
            .accelerator_nodes_allowed = Chance(3)};
  }

 private:
  std::size_t Below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

  /// One time in `n`.
  bool Chance(std::size_t n) { return Below(n) == 0; }

  template <typename T>
  T OneOf(std::initializer_list<T> choices) {
    return *(choices.begin() + Below(choices.size()));
  }

  void Name(model::Workload& workload) {
    if (Chance(3)) {
      workload.generate_name = "train-";
    } else {
      workload.name = "train";
    }
    if (Chance(3)) return;
    workload.owners = {{.kind = OneOf<std::string>({"Job", "StatefulSet", "ReplicaSet", "Team"}),
                        .name = OneOf<std::string>({"owner", "own.er", "o/../wner"}),
                        .controller = !Chance(4)}};
    if (workload.owners[0].kind == "Job" && !Chance(4)) workload.owners[0].group = "batch";
  }

  model::PodTemplate Template() {
    std::vector<model::Container> containers;
    for (std::size_t i = Below(3); i > 0; --i) containers.push_back(Init("init-" + Number(i)));
    for (std::size_t i = Below(3) + 1; i > 0; --i) containers.push_back(Main("main-" + Number(i)));
    model::PodTemplate pod = MakeTemplate(std::move(containers));
    pod.annotations = Annotations();
    if (Chance(6)) pod.resources = Amounts(6);
    if (Chance(4)) pod.node_selector = {Label()};
    if (Chance(3)) pod.node_terms = Terms();
    if (Chance(4)) pod.volumes = {Volume()};
    pod.has_claims = Chance(10);
    pod.termination_grace_period = OneOf<std::int64_t>({0, 30, 120, 3600});
    if (Chance(4)) pod.scheduler_name = OneOf<std::string>({"volcano", "berth-scheduler"});
    return pod;
  }

  static std::string Number(std::size_t i) { return std::to_string(i); }

  model::Container Init(std::string name) {
    model::Container container = MakeContainer(std::move(name), Amounts(10));
    container.init = true;
    container.sidecar = Chance(2);
    Restarts(container);
    if (!container.sidecar && container.restart_policy == "Always") container.restart_policy = "";
    return container;
  }

  model::Container Main(std::string name) {
    model::Container container = MakeContainer(std::move(name), Amounts(2));
    if (Chance(4)) {
      container.env = {{OneOf<std::string>({"CHECKPOINT_DIR", "CHECKPOINT_URI", "HOME"}),
                        OneOf<std::string>({"", "/checkpoints", "/home"})}};
    }
    if (Chance(4)) {
      container.mounts = {{OneOf<std::string>({"scratch", "berth-checkpoint"}),
                           OneOf<std::string>({"/scratch", "/checkpoints", "/checkpoints/"}),
                           OneOf<std::string>({"", "train", "owner"})}};
    }
    Restarts(container);
    return container;
  }

  void Restarts(model::Container& container) {
    if (Chance(4)) {
      container.resize_restarts = {"NotRequired",
                                   OneOf<std::string>({"NotRequired", "RestartContainer"})};
    }
    if (Chance(5)) {
      container.restart_policy = OneOf<std::string>({"Never", "OnFailure", "Always"});
      if (Chance(2)) {
        container.restart_actions = {OneOf<std::string>({"Restart", "RestartAllContainers"})};
      }
    }
    if (container.sidecar) container.restart_policy = "Always";
  }

  /// One time in `devices` with devices, too.
  model::ResourceRequirements Amounts(std::size_t devices) {
    model::ResourceRequirements resources;
    SetAmounts("cpu", {"0", "100m", "0.5", "1", "2", "64", "1500u", "9223372036854775807"},
               resources);
    SetAmounts("memory", {"0", "128Mi", "1Gi", "1073741824", "1e10", "500M", "8Ei", "100m"},
               resources);
    if (Chance(4)) SetAmounts("ephemeral-storage", {"1Gi", "2Gi"}, resources);
    if (Chance(devices)) {
      const auto resource = OneOf<std::string>({"nvidia.com/gpu", "preferred.jp/mncore"});
      const auto amount = Q(OneOf<std::string_view>({"0", "1", "1", "2", "8", "1000000"}));
      resources.requests[resource] = resources.limits[resource] = amount;
    }
    return resources;
  }

  void SetAmounts(const std::string& name, std::initializer_list<std::string_view> choices,
                  model::ResourceRequirements& resources) {
    const auto amount = Q(OneOf(choices));
    switch (Below(8)) {
      case 0:
        break;
      case 1:
        resources.requests[name] = amount;
        break;
      case 2:
        // May differ either way; a request above its limit is what validation would refuse later.
        resources.requests[name] = Q(OneOf(choices));
        resources.limits[name] = amount;
        break;
      default:
        resources.requests[name] = resources.limits[name] = amount;
    }
  }

  std::pair<std::string, std::string> Label() {
    return OneOf<std::pair<std::string, std::string>>({{"zone", "a"},
                                                       {"berth.dev/accelerator", "A100"},
                                                       {"nvidia.com/gpu.product", "NVIDIA-A30"}});
  }

  std::vector<model::NodeSelectorTerm> Terms() {
    std::vector<model::NodeSelectorTerm> terms(Below(4));
    for (model::NodeSelectorTerm& term : terms) {
      for (std::size_t i = Below(3); i > 0; --i) {
        const auto [key, value] = Label();
        const auto op = OneOf<std::string>({"In", "NotIn", "Exists", "DoesNotExist"});
        term.expressions.push_back({key, op, {}});
        if (op.ends_with("In")) term.expressions.back().values = {value};
      }
      if (Chance(5)) term.fields = {{"metadata.name", "In", {"node-1"}}};
    }
    return terms;
  }

  model::Volume Volume() {
    return {.name = OneOf<std::string>({"scratch", "berth-checkpoint"}),
            .claim = OneOf<std::string>({"", "checkpoints", "other"})};
  }

  model::StringMap Annotations() {
    model::StringMap annotations;
    const auto maybe = [&](std::string name, std::initializer_list<std::string> values) {
      if (Chance(4)) annotations.emplace_back(std::move(name), OneOf(values));
    };
    maybe("berth.dev/accelerators",
          {"A100", "A100", "V100,A30", "V100, A100", "MN-Core", "A1OO", " , "});
    maybe("berth.dev/accelerator-memory",
          {"40Gi", "32Gi", "24.5Gi", "500M", "64Pi", "16Ei", "40GB", "40"});
    maybe("berth.dev/checkpoint", {"true", "true", "true", "true", "claim", "false", "No Claim"});
    maybe("berth.dev/checkpoint-key", {"llama", "llama-2", "a.b_c", "..", "a/b", "a\nb"});
    maybe("berth.dev/allow-accelerator-nodes", {"true", "false"});
    maybe("berth.dev/created-by", {"bob", "b\u0085ob"});
    maybe("berth.dev/applied", {"creator 0.0.1", ""});
    maybe("berth.dev/retryless", {"true", ""});
    maybe("berth.dev/retries", {"own", "mine"});
    maybe("batch.kubernetes.io/job-completion-index", {"0", "17", "x"});
    maybe("example.org/note", {"\u00fcber", ""});
    maybe("berth.dev/gang", {"true", "true", "false", "yes"});
    maybe("berth.dev/gang-name", {"train", "train", "a b"});
    maybe("berth.dev/gang-size", {"2", "8", "1", "0", "all"});
    model::Normalize(annotations);
    return annotations;
  }

  model::JobSpec JobSpec() {
    model::JobSpec job;
    job.backoff_limit = OneOf<std::int64_t>({6, 6, 0, 3, 2147483647});
    if (Chance(4)) job.backoff_limit_per_index = OneOf<std::int64_t>({0, 1, 6});
    if (Chance(3)) job.failure_rules = FailureRules(job.backoff_limit_per_index.has_value());
    // Kubernetes takes nothing else beside rules.
    if (job.failure_rules || Chance(3)) job.pod_replacement_policy = "Failed";
    job.parallelism = OneOf<std::int64_t>({1, 1, 0, 8, 2147483647});
    if (Chance(2)) job.completions = OneOf<std::int64_t>({0, 1, 8, 200'000});
    job.has_success_policy = Chance(5);
    job.queued = Chance(4);
    job.indexed = Chance(2);
    if (Chance(8)) job.managed_by = "example.org/controller";
    return job;
  }

  std::vector<model::FailureRule> FailureRules(bool per_index) {
    std::vector<model::FailureRule> rules(Below(4));
    for (std::size_t i = 0; i < rules.size(); ++i) {
      rules[i].action = OneOf<std::string>({"Ignore", "Count", "FailJob"});
      if (per_index && Chance(4)) rules[i].action = "FailIndex";
      rules[i].written_at = i;
      if (Chance(2)) {
        rules[i].conditions = {OneOf<std::string>({"DisruptionTarget", "ConfigIssue"})};
      } else {
        rules[i].exit_code_op = OneOf<std::string>({"In", "NotIn"});
        rules[i].exit_codes = OneOf<std::vector<std::int64_t>>({{1}, {137}, {42, 255}});
      }
    }
    return rules;
  }

  std::mt19937 random_;
};

}  // namespace berth::policies::admission
