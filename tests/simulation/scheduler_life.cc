#include "tests/simulation/scheduler_life.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <tuple>
#include <utility>
#include <variant>

#include "fmt/format.h"
#include "kube/lease.h"
#include "model/cluster_view.h"
#include "tests/simulation/berth_process.h"
#include "tests/simulation/cluster_life.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::simulation {
namespace {

using std::chrono::seconds;

constexpr char kNoNode[] =
    "0/9 nodes are available: 9 Insufficient nvidia.com/gpu. preemption: 0/9 nodes are available: "
    "9 "
    "No preemption victims found for incoming pod.";
// Of a pod of a PodGroup: no victims are sought for it alone.
constexpr char kNoNodeInGroup[] = "0/9 nodes are available: 9 Insufficient nvidia.com/gpu.";

const std::string& Prefix() {
  static const std::string prefix = "berth.dev";
  return prefix;
}

// "<namespace>/<name>" of the pod's PodGroup; "" where it has none.
std::string GroupKeyOf(const model::Pod& pod) {
  return pod.scheduling_group.empty() ? "" : pod.namespace_ + '/' + pod.scheduling_group;
}

std::string HolderOf(int process) { return fmt::format("scheduler-{}", process); }

}  // namespace

SchedulerLife::SchedulerLife(ApiServer* server, Timeline* timeline, Chance* chance, Trace* trace,
                             Options options)
    : server_(server),
      timeline_(timeline),
      chance_(chance),
      trace_(trace),
      options_(std::move(options)),
      kept_({.catalog = *DefaultCatalog(), .prefix = Prefix(), .reasons = reasons_}, {}) {}

std::string SchedulerLife::term() const {
  return fmt::format("{}/{}", HolderOf(process_), transitions_);
}

void SchedulerLife::Begin() {
  Lead(0);
  Cycle();
}

void SchedulerLife::Restart() {
  trace_->Write("kube-scheduler ends");
  leads_ = false;
  assumed_.clear();
  backoffs_.clear();
  const int next = process_ + 1;
  // It reads pods when it starts, and waits for the Lease of its predecessor then.
  timeline_->After(Time(chance_->Between(0, 10'000)), [this, next] {
    started_ = server_->revision();
    timeline_->After(Time(chance_->Between(0, 15'000)), [this, next] { Lead(next); });
  });
}

void SchedulerLife::Lead(int process) {
  if (process <= process_ && leads_since_ > Time(0)) return;
  transitions_ += process > 0 ? 1 : 0;
  process_ = process;
  leads_ = true;
  leads_since_ = timeline_->now();
  trace_->Write("kube-scheduler {} leads", process);
  server_->leases().Put("kube-system/kube-scheduler",
                        kube::NewLeaseToJson("kube-system", "kube-scheduler",
                                             {.holder = HolderOf(process),
                                              .duration = seconds(15),
                                              .acquired = "2027-01-15T08:00:00.000000Z",
                                              .renewed = "2027-01-15T08:00:00.000000Z",
                                              .transitions = transitions_}));
}

void SchedulerLife::Cycle() {
  timeline_->After(Time(chance_->Between(20, 400)), [this] {
    const std::string key = leads_ && server_->up() ? Next() : "";
    if (!key.empty()) Try(key);
    Cycle();
  });
}

std::string SchedulerLife::Next() const {
  std::string next;
  std::tuple<std::int64_t, model::Time> place;
  for (const auto& [key, stored] : server_->Of<model::Pod>().now()) {
    const model::Pod& pod = stored->value;
    if (!pod.node_name.empty() || pod.terminated || assumed_.contains(key)) continue;
    if (!IsFree(pod)) continue;
    const auto backoff = backoffs_.find(EntityOf(pod));
    if (backoff != backoffs_.end() && backoff->second.until > timeline_->now()) continue;
    const std::tuple<std::int64_t, model::Time> own{-std::int64_t{pod.priority}, pod.created};
    if (!next.empty() && place <= own) continue;
    next = key;
    place = own;
  }
  return next;
}

bool SchedulerLife::IsFree(const model::Pod& pod) const {
  if (pod.gated || pod.scheduling_group.empty()) return !pod.gated;
  const PodGroups::PodGroup* const group = server_->pod_groups().Find(GroupKeyOf(pod));
  if (group == nullptr) return false;
  const Members members = MembersOf(GroupKeyOf(pod));
  return static_cast<std::int64_t>(members.placed + members.waiting.size()) >= group->min_count;
}

SchedulerLife::Members SchedulerLife::MembersOf(const std::string& group) const {
  Members members;
  for (const auto& [key, stored] : server_->Of<model::Pod>().now()) {
    const model::Pod& pod = stored->value;
    if (pod.terminated || pod.gated || GroupKeyOf(pod) != group) continue;
    const bool placed = !pod.node_name.empty() || !AssumedNodeOf(key, pod.uid).empty();
    if (placed) {
      ++members.placed;
    } else {
      members.waiting.push_back(key);
    }
  }
  return members;
}

std::string SchedulerLife::EntityOf(const model::Pod& pod) const {
  const PodGroups::PodGroup* const group = server_->pod_groups().Find(GroupKeyOf(pod));
  return group == nullptr ? pod.uid : group->uid;
}

std::string SchedulerLife::AssumedNodeOf(const std::string& key, const std::string& uid) const {
  const auto assumed = assumed_.find(key);
  const bool is_it = assumed != assumed_.end() && assumed->second.first == uid;
  return is_it ? assumed->second.second : "";
}

bool SchedulerLife::Knows(const Stored<model::Pod>& stored) const {
  return !options_.forgets || !stored.value.gated || stored.revision > started_;
}

std::int64_t SchedulerLife::Used(const model::Pod& pod, const std::string& node) const {
  std::int64_t used = 0;
  for (const auto& [key, stored] : server_->Of<model::Pod>().now()) {
    const model::Pod& other = stored->value;
    if (other.terminated || other.uid == pod.uid) continue;
    const std::string assumed = AssumedNodeOf(key, other.uid);
    const std::string& place = assumed.empty() ? other.node_name : assumed;
    const bool counts = place == node;
    const bool nominated = place.empty() && other.nominated_node == node &&
                           other.priority >= pod.priority && Knows(*stored);
    if (counts || nominated) used += other.requests.Get(kGpu);
  }
  return used;
}

bool SchedulerLife::Fits(const model::Pod& pod, const std::string& name) const {
  const auto node = server_->Of<model::Node>().Find(name);
  if (node == nullptr || GangJobs::IsBroken(node->value)) return false;
  if (Used(pod, name) + pod.requests.Get(kGpu) > kDevicesOfNode) return false;
  return LeavesKept(pod, node->value);
}

std::int64_t SchedulerLife::Bound(const std::string& node) const {
  std::int64_t used = 0;
  for (const auto& [key, stored] : server_->Of<model::Pod>().now()) {
    const model::Pod& pod = stored->value;
    if (pod.terminated) continue;
    const std::string assumed = AssumedNodeOf(key, pod.uid);
    if ((assumed.empty() ? pod.node_name : assumed) == node) used += pod.requests.Get(kGpu);
  }
  return used;
}

bool SchedulerLife::LeavesKept(const model::Pod& pod, const model::Node& node) const {
  // Nobody asks the extender about a pod without devices.
  if (node.annotations.empty() || pod.requests.Get(kGpu) == 0) return true;
  std::vector<model::NodeState> states;
  for (const auto& [name, stored] : server_->Of<model::Node>().now()) {
    states.push_back({.node = stored->value});
    if (name == node.name) states.back().used.Set(kGpu, Bound(name));
  }
  const policies::scheduling::FixedView view(std::move(states));
  const policies::scheduling::Preparation prepared = kept_.Prepare(pod, view, options_.now());
  using Evaluator = std::unique_ptr<policies::scheduling::NodeEvaluator>;
  const Evaluator* const evaluator = std::get_if<Evaluator>(&prepared);
  return evaluator == nullptr || (*evaluator)->Evaluate(*view.At(*view.Find(node.name))).fits;
}

void SchedulerLife::Try(const std::string& key) {
  const model::Pod pod = server_->Of<model::Pod>().Find(key)->value;
  if (!pod.scheduling_group.empty()) return TryGroup(GroupKeyOf(pod));
  const std::string node = NodeFor(pod);
  if (!node.empty()) return Bind(key, node);
  BackOff(pod.uid);
  Refuse(key, kNoNode, false);
}

std::string SchedulerLife::NodeFor(const model::Pod& pod) {
  if (!pod.nominated_node.empty() && Fits(pod, pod.nominated_node)) return pod.nominated_node;
  std::vector<std::string> fitting;
  for (const auto& [name, node] : server_->Of<model::Node>().now()) {
    if (chance_->Percent(60) && Fits(pod, name)) fitting.push_back(name);
  }
  if (fitting.empty()) return "";
  return fitting[static_cast<std::size_t>(chance_->Below(static_cast<int>(fitting.size())))];
}

void SchedulerLife::TryGroup(const std::string& group) {
  const PodGroups::PodGroup wanted = *server_->pod_groups().Find(group);
  const Members members = MembersOf(group);
  std::vector<std::string> fitting;
  std::vector<std::string> others;
  for (const std::string& key : members.waiting) {
    const model::Pod pod = server_->Of<model::Pod>().Find(key)->value;
    const std::string node = NodeFor(pod);
    if (!node.empty()) assumed_[key] = {pod.uid, node};
    (node.empty() ? others : fitting).push_back(key);
  }
  const auto placed = static_cast<std::int64_t>(members.placed + fitting.size());
  const bool holds = placed >= wanted.min_count;
  for (const std::string& key : fitting) {
    if (holds) {
      Bind(key, assumed_.at(key).second);
    } else {
      assumed_.erase(key);
    }
  }
  if (!others.empty()) BackOff(wanted.uid);
  for (const std::string& key : others) Refuse(key, kNoNodeInGroup, true);
  if (holds) return;
  for (const std::string& key : fitting) {
    const std::string why = fmt::format(
        "minCount ({}) cannot be satisfied: {} scheduled, 0 remaining", wanted.min_count, placed);
    Refuse(key, why, false);
  }
}

void SchedulerLife::Bind(const std::string& key, const std::string& node) {
  const std::string uid = server_->Of<model::Pod>().Find(key)->value.uid;
  assumed_[key] = {uid, node};
  timeline_->After(Time(chance_->Between(0, 200)), [this, key, node, uid, process = process_] {
    const auto assumed = assumed_.find(key);
    // Another process has forgotten it.
    if (process != process_ || assumed == assumed_.end()) return;
    assumed_.erase(assumed);
    const auto stored = server_->Of<model::Pod>().Find(key);
    if (!server_->up() || stored == nullptr || stored->value.uid != uid) return;
    model::Pod bound = stored->value;
    bound.node_name = node;
    bound.bound = timeline_->api_time();
    bound.nominated_node.clear();
    bound.unschedulable.clear();
    trace_->Write("{} is bound to {}", key, node);
    server_->Put(std::move(bound));
  });
}

void SchedulerLife::BackOff(const std::string& entity) {
  Backoff& backoff = backoffs_[entity];
  const int wait = std::min(10, 1 << std::min(backoff.refusals++, 4));
  backoff.until = timeline_->now() + seconds(wait);
}

void SchedulerLife::Refuse(const std::string& key, const std::string& why, bool stands) {
  model::Pod pod = server_->Of<model::Pod>().Find(key)->value;
  trace_->Write("{} is refused: {}", key, why);
  pod.unschedulable = why;
  if (!stands) pod.nominated_node.clear();
  if (pod != server_->Of<model::Pod>().Find(key)->value) server_->Put(std::move(pod));
}

}  // namespace berth::simulation
