#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/nominator.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::controller {

inline constexpr char kRefusedByAll[] =
    "0/100 nodes are available: 100 node(s) had accelerator A30.";

// What policies/fit wants of a node, in a snapshot that keeps it.
inline model::NodeState Roomy(const std::string& name) {
  model::NodeState state = policies::scheduling::GpuNode(name, policies::scheduling::kV100);
  state.node.allocatable.Set("pods", 110);
  return state;
}

inline std::unique_ptr<cluster::Snapshot> WholeSnapshot() {
  auto snapshot = std::make_unique<cluster::Snapshot>(
      cluster::Snapshot::Options{.catalog = policies::scheduling::Catalog(),
                                 .labels = {},
                                 .whole_pods = true,
                                 .gang_prefix = "berth.dev"});
  snapshot->UpsertNode(Roomy("v100-1").node);
  return snapshot;
}

// The record of several writers.
class LockedRecord final : public WriteObserver {
 public:
  explicit LockedRecord(WriteRecord* record) : record_(record) {}

  void OnWritten(Write write, std::string_view object, std::string_view value,
                 const absl::Status& status) override {
    const std::lock_guard lock(mutex_);
    record_->OnWritten(write, object, value, status);
  }

 private:
  std::mutex mutex_;
  WriteRecord* const record_;
};

class NominatorTest : public ::testing::Test {
 protected:
  NominatorTest() {
    List(cluster::Kind::kNodes);
    List(cluster::Kind::kPods);
  }

  void List(cluster::Kind kind) {
    snapshot_->BeginReplace(kind);
    if (kind == cluster::Kind::kNodes) snapshot_->UpsertNode(Roomy("v100-1").node);
    snapshot_->EndReplace(kind);
  }

  static model::Pod Refused(const std::string& name = "train") {
    model::Pod pod = PodOn("", name);
    pod.scheduler = "berth";
    pod.unschedulable = kRefusedByAll;
    return pod;
  }

  static void Wait(Nominator& nominator, const std::vector<model::Pod>& pods) {
    nominator.OnReplaceBegin();
    for (const model::Pod& pod : pods) nominator.OnUpsert(pod);
    nominator.OnReplaceEnd("10");
  }
  void Wait(const std::vector<model::Pod>& pods) { Wait(nominator_, pods); }

  void Reply(int status) { transport_.replies.push_back({.status = status, .body = "{}"}); }

  void RunFor(std::chrono::milliseconds duration) { RunFor(nominator_, duration); }
  void RunFor(Nominator& nominator, std::chrono::milliseconds duration) {
    time_.end = time_.now + duration;
    time_.on_wait = [this, &nominator] { nominator.WriteQueued(&patcher_); };
    nominator.Run();
  }

  Nominator MakeWithGroups(planner::PlannerConfig config, const PodGroupReader::Known* known) {
    return Make(std::move(config), {},
                [known]() -> const PodGroupReader::Known& { return *known; });
  }
  Nominator Make(planner::PlannerConfig config, std::function<SchedulerTerm()> term = {},
                 std::function<const PodGroupReader::Known&()> groups = {}) {
    return {
        {.planner = std::move(config),
         .annotation = "berth.dev/plan",
         .purpose_annotation = "berth.dev/plan-for",
         .lease_annotation = "berth.dev/plan-lease",
         .may_write = [this] { return leads_; },
         .scheduler_term = std::move(term),
         .pod_groups = std::move(groups),
         .gang_feed = &gang_feed_,
         .kept_rooms = &kept_rooms_,
         .now = [] { return policies::scheduling::kNow; }},
        std::make_shared<const policies::scheduling::SchedulingEngine>(
            policies::scheduling::Catalog(), "berth.dev", policies::scheduling::SchedulingConfig{}),
        snapshot_.get(),
        &time_,
        &observer_,
        &planner_metrics_};
  }

  std::unique_ptr<cluster::Snapshot> snapshot_ = WholeSnapshot();
  kube::ScriptedTransport transport_;
  Patcher patcher_{&transport_};
  LimitedTime time_;
  WriteRecord record_;
  LockedRecord observer_{&record_};
  server::Metrics metrics_;
  PlannerMetrics planner_metrics_{metrics_};
  GangFeed gang_feed_;
  KeptRooms kept_rooms_;
  bool leads_ = true;
  Nominator nominator_ = Make({});
};

inline model::Pod OfGang(const std::string& name) {
  model::Pod pod = PodOn("", name);
  pod.scheduler = "berth";
  pod.annotations = {{"berth.dev/gang-name", "train"}, {"berth.dev/gang-size", "2"}};
  pod.gates = {"berth.dev/gang"};
  pod.gated = true;
  return pod;
}

inline planner::PlannerConfig WithGangs() {
  planner::PlannerConfig config;
  config.gangs.enabled = true;
  return config;
}

// All pods of a gang for which there is no room.
inline std::vector<model::Pod> LargeGang() {
  std::vector<model::Pod> pods = {OfGang("train-0"), OfGang("train-1")};
  for (model::Pod& pod : pods) pod.requests.Set(policies::scheduling::kGpu, 8);
  return pods;
}

}  // namespace berth::controller
