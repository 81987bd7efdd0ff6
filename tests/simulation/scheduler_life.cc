#include "tests/simulation/scheduler_life.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "kube/lease.h"
#include "tests/simulation/cluster_life.h"

namespace berth::simulation {
namespace {

using std::chrono::seconds;

constexpr char kNoNode[] =
    "0/9 nodes are available: 9 Insufficient nvidia.com/gpu. preemption: 0/9 nodes are available: "
    "9 "
    "No preemption victims found for incoming pod.";

std::string HolderOf(int process) { return fmt::format("scheduler-{}", process); }

}  // namespace

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
    if (!pod.node_name.empty() || pod.gated || pod.terminated || assumed_.contains(key)) continue;
    const auto backoff = backoffs_.find(pod.uid);
    if (backoff != backoffs_.end() && backoff->second.until > timeline_->now()) continue;
    const std::tuple<std::int64_t, model::Time> own{-std::int64_t{pod.priority}, pod.created};
    if (!next.empty() && place <= own) continue;
    next = key;
    place = own;
  }
  return next;
}

bool SchedulerLife::Knows(const Stored<model::Pod>& stored) const {
  return !forgets_ || !stored.value.gated || stored.revision > started_;
}

// What others use of the node, or are promised there, as this pod sees it.
std::int64_t SchedulerLife::Used(const model::Pod& pod, const std::string& node) const {
  std::int64_t used = 0;
  for (const auto& [key, stored] : server_->Of<model::Pod>().now()) {
    const model::Pod& other = stored->value;
    if (other.terminated || other.uid == pod.uid) continue;
    const auto assumed = assumed_.find(key);
    const bool is_assumed = assumed != assumed_.end() && assumed->second.first == other.uid;
    const std::string& place = is_assumed ? assumed->second.second : other.node_name;
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
  return Used(pod, name) + pod.requests.Get(kGpu) <= kDevicesOfNode;
}

void SchedulerLife::Try(const std::string& key) {
  const model::Pod pod = server_->Of<model::Pod>().Find(key)->value;
  if (!pod.nominated_node.empty() && Fits(pod, pod.nominated_node)) {
    return Bind(key, pod.nominated_node);
  }
  std::vector<std::string> fitting;
  for (const auto& [name, node] : server_->Of<model::Node>().now()) {
    if (chance_->Percent(60) && Fits(pod, name)) fitting.push_back(name);
  }
  if (fitting.empty()) return Refuse(key);
  Bind(key, fitting[static_cast<std::size_t>(chance_->Below(static_cast<int>(fitting.size())))]);
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
    bound.nominated_node.clear();
    bound.unschedulable.clear();
    trace_->Write("{} is bound to {}", key, node);
    server_->Put(std::move(bound));
  });
}

void SchedulerLife::Refuse(const std::string& key) {
  model::Pod pod = server_->Of<model::Pod>().Find(key)->value;
  Backoff& backoff = backoffs_[pod.uid];
  const int wait = std::min(10, 1 << std::min(backoff.refusals++, 4));
  backoff.until = timeline_->now() + seconds(wait);
  trace_->Write("{} fits no node that was looked at", key);
  pod.unschedulable = kNoNode;
  pod.nominated_node.clear();
  if (pod != server_->Of<model::Pod>().Find(key)->value) server_->Put(std::move(pod));
}

}  // namespace berth::simulation
