#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "planner/planner.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::planner {

using policies::scheduling::kGpu;
using policies::scheduling::kNow;

inline constexpr char kPlan[] = "berth.dev/plan";

/// What kube-scheduler writes when no node fits, and no preemption would help.
inline constexpr char kRefused[] =
    "0/9 nodes are available: 9 Insufficient nvidia.com/gpu. preemption: 0/9 nodes are available: "
    "9 "
    "No preemption victims found for incoming pod.";

inline std::shared_ptr<const policies::scheduling::SchedulingEngine> Engine() {
  static const auto engine = std::make_shared<const policies::scheduling::SchedulingEngine>(
      policies::scheduling::Catalog(), "berth.dev", policies::scheduling::SchedulingConfig{});
  return engine;
}

/// What it writes when Berth has refused all other nodes of its sample, and evicting pods from the
/// sample would not help.
inline std::string RefusedSample() {
  return "0/9 nodes are available: 8 " + Engine()->reasons()[1].text +
         ", 1 Insufficient nvidia.com/gpu. preemption: 0/9 nodes are available: 9 Preemption is "
         "not helpful for scheduling.";
}

/// A node with so many GPUs, and as much of everything else as anybody wants.
inline model::NodeState RoomyNode(std::string name, std::int64_t devices = 8) {
  auto node = policies::scheduling::GpuNode(std::move(name), "NVIDIA-A30", devices);
  node.node.allocatable.Set("pods", 110);
  node.node.allocatable.Set("cpu", 1'000'000);
  return node;
}

/// A cluster of nodes and waiting pods as the API server has them, and a planner that watches it.
class Fixture {
 public:
  using Clock = Planner::Clock;
  using Nodes = std::vector<std::string>;

  /// `head`: how many untried pods are left to kube-scheduler.
  explicit Fixture(std::int32_t head = 0)
      : config{.schedulers = {"berth"}, .backlog = {true, head}} {
    Restart();
  }

  /// The planner begins anew, with a list of what there is.
  void Restart() {
    planner = std::make_unique<Planner>(Engine(), config);
    Relist();
  }
  void Relist() {
    planner->BeginReplace();
    for (const auto& [name, pod] : pods) planner->Upsert(pod, now);
    planner->EndReplace();
  }

  /// The pod is written to the API server, which tells the planner.
  void Put(const model::Pod& pod) {
    pods[pod.name] = pod;
    planner->Upsert(pod, now);
  }
  /// A pod that waits, created one second after the former one.
  model::Pod& Wait(const std::string& name, std::int64_t devices = 1) {
    model::Pod pod{.namespace_ = "team", .name = name, .uid = "uid-" + name, .scheduler = "berth"};
    pod.requests.Set(kGpu, devices);
    pod.created = kNow + std::chrono::seconds(created_++);
    Put(pod);
    return pods.at(name);
  }
  /// A pod that kube-scheduler has refused.
  model::Pod& Refuse(const std::string& name, std::int64_t devices = 1) {
    model::Pod pod = Wait(name, devices);
    pod.unschedulable = kRefused;
    Put(pod);
    return pods.at(name);
  }
  /// Changes a pod.
  template <typename Change>
  void Edit(const std::string& name, Change change) {
    model::Pod pod = pods.at(name);
    change(pod);
    Put(pod);
  }
  /// Somebody else nominates a node for the pod, or clears the nomination.
  void Nominate(const std::string& name, const std::string& node) {
    Edit(name, [&](model::Pod& pod) { pod.nominated_node = node; });
  }
  /// The watch of waiting pods shows that the pod is none any more.
  void Leave(const std::string& name) {
    planner->Remove(pods.at(name));
    pods.erase(name);
  }
  /// The view shows the pod on the node.
  void ShowBound(const model::Pod& pod, const std::string& node) {
    seen_bound.insert(pod.namespace_ + '/' + pod.name + '/' + pod.uid);
    model::NodeState& state = Node(node);
    policies::fit::Book(pod, state);
    state.bound.push_back(&demands.emplace_back(DemandOf(pod)));
  }
  /// The view shows that a pod which was bound has ended.
  void ShowEnded(const model::Pod& pod, const std::string& node) {
    model::NodeState& state = Node(node);
    for (const auto& [name, amount] : pod.requests) state.used.Add(name, -amount);
    --state.pods;
    for (const model::HostPort& port : pod.host_ports) {
      state.ports.erase(std::ranges::find(state.ports, port));
    }
    const model::Demand demand = DemandOf(pod);
    state.bound.erase(std::ranges::find_if(
        state.bound, [&demand](const model::Demand* each) { return *each == demand; }));
  }
  /// A pod runs on the node.
  model::Pod Run(const std::string& node, std::int64_t devices, std::int32_t priority) {
    const std::string name = "running-" + std::to_string(demands.size());
    model::Pod pod{.namespace_ = "team", .name = name, .uid = "uid-" + name, .priority = priority};
    pod.requests.Set(kGpu, devices);
    ShowBound(pod, node);
    return pod;
  }
  /// A pod that kube-scheduler has refused on a sample of the nodes, and that may preempt.
  void RefuseSampled(const std::string& name, std::int64_t devices, std::int32_t priority) {
    Wait(name, devices);
    Edit(name, [priority](model::Pod& pod) {
      pod.unschedulable = RefusedSample();
      pod.priority = priority;
    });
  }

  /// A node, which counts as changed.
  model::NodeState& Node(const std::string& name) {
    const auto node =
        std::ranges::find(nodes, name, [](const auto& state) { return state.node.name; });
    node->version = ++version_;
    return *node;
  }

  /// What the planner would write.
  std::vector<Step> PlanOnly(std::size_t most = Planner::kMaxStanding) {
    const policies::scheduling::FixedView view(nodes);
    const auto is_bound = [this](const std::string& key, const std::string& uid) {
      return seen_bound.contains(key + '/' + uid);
    };
    return planner->Plan(view, is_bound, time, now, most, facts);
  }
  /// Writes it, and the watch shows it. Returns "<pod> <node>" for each step.
  Nodes Plan(std::size_t most = Planner::kMaxStanding) {
    const std::vector<Step> steps = PlanOnly(most);
    for (const Step& step : steps) Write(step);
    return Names(steps);
  }
  static Nodes Names(const std::vector<Step>& steps) {
    Nodes names;
    for (const Step& step : steps) {
      if (step.kind == StepKind::kNominate) names.push_back(step.name + ' ' + step.node);
      if (step.kind == StepKind::kUngate) names.push_back(step.name + " ungated");
      if (step.kind == StepKind::kEvict) names.push_back(step.gang + " evicted");
      if (step.kind == StepKind::kEvictRest) names.push_back("rest of " + step.gang + " evicted");
      if (step.kind == StepKind::kCreatePodGroup) {
        names.push_back(step.name + " created for " + std::to_string(step.pods));
      }
      if (step.kind == StepKind::kDeletePodGroup) names.push_back(step.name + " deleted");
    }
    return names;
  }
  void Write(const Step& step) {
    if (step.kind == StepKind::kSay) said.push_back(step.name + ": " + step.text);
    if (step.kind == StepKind::kUngate) {
      Edit(step.name, [](model::Pod& pod) {
        std::erase(pod.gates, "berth.dev/gang");
        pod.gated = !pod.gates.empty();
      });
    }
    const std::string key = step.namespace_ + '/' + step.name;
    if (step.kind == StepKind::kCreatePodGroup) groups[key] = {.uid = "uid-of-" + step.name};
    if (step.kind == StepKind::kDeletePodGroup) groups.erase(key);
    if (step.kind != StepKind::kNominate) return;
    Edit(step.name, [&step](model::Pod& pod) {
      pod.nominated_node = step.node;
      std::erase_if(pod.annotations,
                    [](const auto& each) { return each.first.starts_with(kPlan); });
      if (!step.node.empty()) pod.annotations.emplace_back(kPlan, step.node);
      if (!step.node.empty() && !step.gang.empty()) {
        pod.annotations.emplace_back("berth.dev/plan-lease", step.text);
      }
      model::Normalize(pod.annotations);
    });
  }
  void Pass(Clock::duration span) { now += span; }

  State StateOf(const std::string& name) const { return planner->Find("team", name)->state; }
  std::vector<Outcome> Outcomes() {
    std::vector<Outcome> outcomes;
    for (const Ended& ended : planner->TakeEnded()) outcomes.push_back(ended.outcome);
    return outcomes;
  }

  PlannerConfig config;
  std::vector<model::NodeState> nodes;
  std::deque<model::Demand> demands;  // to which the nodes point
  std::map<std::string, model::Pod> pods;
  std::set<std::string> seen_bound;
  std::vector<std::string> said;  // "<pod>: <text>"
  PodGroups groups;               // those that exist
  GangFacts facts;
  model::Time time = kNow;
  Clock::time_point now{std::chrono::hours(1)};
  std::unique_ptr<Planner> planner;

 private:
  static model::Demand DemandOf(const model::Pod& pod) {
    return {
        .resources = pod.requests, .pods = 1, .ports = pod.host_ports, .priority = pod.priority};
  }

  std::int64_t created_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace berth::planner
