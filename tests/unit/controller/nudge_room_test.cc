// How many pods are nudged, and which.

#include <map>

#include "controller/nudge_plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using policies::scheduling::GpuNode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using policies::scheduling::kV100;
constexpr char kLostCondition[] = "0/9 nodes are available: 1 node(s) had condition GPUIsLost.";
constexpr char kNoRoom[] = "0/9 nodes are available: 9 Insufficient nvidia.com/gpu.";

/// One node of eight V100, which is broken at first.
class NudgeRoomTest : public ::testing::Test {
 protected:
  NudgeRoomTest() { Break(); }

  void Break() { snapshot_->UpsertNode(Broken(GpuNode("flaps", kV100, devices_)).node); }

  void Recover() {
    snapshot_->UpsertNode(GpuNode("flaps", kV100, devices_).node);
    Judge();
  }

  model::Pod Make(const std::string& name, std::int32_t priority = 0, int age = 0,
                  std::int64_t devices = 1) const {
    model::Pod pod = PodOn("", name);
    pod.requests.Set(policies::scheduling::kGpu, devices);
    pod.unschedulable = kLostCondition;
    pod.priority = priority;
    pod.created = policies::scheduling::kNow - seconds(age);
    return pod;
  }

  void Waits(const model::Pod& pod) { plan_.Upsert(pod, now_); }

  /// The pod runs somewhere, and waits no more.
  void Bind(model::Pod pod, const std::string& node = "flaps") {
    pod.node_name = node;
    snapshot_->UpsertPod(pod);
    plan_.Remove(pod);
  }

  void Fill(std::int64_t devices) { Bind(Make("runs", 0, 0, devices)); }

  /// kube-scheduler has tried the pod in vain.
  void Tried(model::Pod pod) {
    pod.unschedulable = kNoRoom;
    Waits(pod);
  }

  void Judge() { plan_.Judge(snapshot_->Read(), policies::scheduling::kNow, now_); }

  /// The pods that are nudged while time passes.
  std::vector<std::string> Nudges(milliseconds duration) {
    std::vector<std::string> nudges;
    for (const auto end = now_ + duration; now_ < end;) {
      now_ += milliseconds(250);
      Judge();
      while (const auto pod = plan_.TakeDue(now_)) nudges.push_back(pod->name);
    }
    return nudges;
  }

  std::int64_t devices_ = 8;
  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  NudgePlan plan_{std::make_shared<const policies::scheduling::SchedulingEngine>(
      policies::scheduling::Catalog(), "berth.dev", policies::scheduling::SchedulingConfig{})};
  NudgePlan::Clock::time_point now_{seconds(1000)};
};

TEST_F(NudgeRoomTest, OfTenThousandThoseOfTheHighestPriorityAreNudgedThatHaveRoom) {
  for (int i = 0; i < 10'000; ++i) Waits(Make("pod-" + std::to_string(i), i % 5000));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("pod-4999", "pod-9999", "pod-4998", "pod-9998",
                                              "pod-4997", "pod-9997", "pod-4996", "pod-9996"));
}

TEST_F(NudgeRoomTest, AFullNodeNudgesNobody) {
  Fill(8);
  for (int i = 0; i < 100; ++i) Waits(Make("pod-" + std::to_string(i)));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(600)), IsEmpty());
}

TEST_F(NudgeRoomTest, WhatOthersUseIsNoRoom) {
  Fill(5);
  for (int i = 0; i < 100; ++i) Waits(Make("pod-" + std::to_string(i)));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(2)), SizeIs(3));
}

// The other node has room, but has not changed: whoever waits nevertheless has another reason to.
TEST_F(NudgeRoomTest, RoomElsewhereDoesNotCount) {
  snapshot_->UpsertNode(GpuNode("well", kV100).node);
  Fill(8);
  Waits(Make("train"));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
}

TEST_F(NudgeRoomTest, ANodeThatGetsRoomLaterNudgesThen) {
  Fill(8);
  Waits(Make("train"));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(100)), IsEmpty());
  snapshot_->DeletePod(Make("runs"));
  EXPECT_THAT(Nudges(seconds(1)), ElementsAre("train"));
}

// By then kube-scheduler has tried every pod by itself.
TEST_F(NudgeRoomTest, ARecoveryIsACauseForFiveMinutes) {
  Fill(8);
  Waits(Make("train"));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(301)), IsEmpty());
  snapshot_->DeletePod(Make("runs"));
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
}

TEST_F(NudgeRoomTest, OfEqualPriorityTheOldestComesFirstThenTheName) {
  devices_ = 4;
  Waits(Make("b", 0, 10));
  Waits(Make("c", 0, 10));
  Waits(Make("a", 0, 5));
  Waits(Make("high", 1, 1));
  Waits(Make("low", -1, 99));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("high", "b", "c", "a"));
}

TEST_F(NudgeRoomTest, WhoDoesNotFitIsPassedOver) {
  Fill(5);
  Waits(Make("large", 9, 0, 8));
  Waits(Make("two", 5, 0, 2));
  Waits(Make("also-two", 4, 0, 2));
  Waits(Make("one", 3, 0, 1));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("two", "one"));
}

TEST_F(NudgeRoomTest, TheNextComeWhenTheFirstWereTriedInVain) {
  devices_ = 1;
  for (const char* name : {"a", "b", "c"}) Waits(Make(name));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(1)), ElementsAre("a"));
  Tried(Make("a"));
  EXPECT_THAT(Nudges(milliseconds(250)), ElementsAre("b"));
  Tried(Make("b"));
  EXPECT_THAT(Nudges(milliseconds(250)), ElementsAre("c"));
  Tried(Make("c"));
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
}

TEST_F(NudgeRoomTest, TheNextComeWhenTheFirstIsBoundElsewhere) {
  devices_ = 1;
  for (const char* name : {"a", "b"}) Waits(Make(name));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(1)), ElementsAre("a"));
  Bind(Make("a"), "elsewhere");
  EXPECT_THAT(Nudges(milliseconds(250)), ElementsAre("b"));
  Bind(Make("b"));
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
}

TEST_F(NudgeRoomTest, APodThatGivesUpMakesRoomForTheNext) {
  devices_ = 1;
  for (const char* name : {"a", "b"}) Waits(Make(name));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(1)), ElementsAre("a"));
  plan_.Remove(Make("a"));
  EXPECT_THAT(Nudges(milliseconds(250)), ElementsAre("b"));
}

// kube-scheduler may have lost it, or be away.
TEST_F(NudgeRoomTest, APodOfWhichNothingIsHeardMakesRoomAfterItsTries) {
  devices_ = 1;
  for (const char* name : {"a", "b"}) Waits(Make(name));
  Judge();
  Recover();
  EXPECT_THAT(Nudges(seconds(200)), ElementsAre("a", "a", "a", "a", "b", "b", "b", "b"));
}

TEST_F(NudgeRoomTest, ANodeThatFlapsNudgesNoMoreThanItHasRoomFor) {
  for (int i = 0; i < 1000; ++i) Waits(Make("pod-" + std::to_string(i)));
  Judge();
  std::map<std::string, int> nudged;
  for (int flap = 0; flap < 15; ++flap) {
    Recover();
    for (const std::string& name : Nudges(milliseconds(1500))) ++nudged[name];
    Break();
    for (const std::string& name : Nudges(milliseconds(500))) ++nudged[name];
  }
  EXPECT_THAT(nudged, SizeIs(8)) << "within the 30 s for which the first may still be tried";
  for (const auto& [name, times] : nudged) EXPECT_LE(times, 4) << name;
}

TEST_F(NudgeRoomTest, AStaleReportNeedsRoomToo) {
  snapshot_->UpsertNode(GpuNode("well", kV100).node);
  Bind(Make("large", 0, 0, 6), "well");
  Judge();
  for (int i = 0; i < 10; ++i) {
    model::Pod pod = Make("pod-" + std::to_string(i), i);
    pod.unschedulable = "0/9 nodes are available: 2 node(s) had condition GPUIsLost.";
    Waits(pod);
  }
  EXPECT_THAT(Nudges(milliseconds(1500)), ElementsAre("pod-9", "pod-8"));
}

TEST_F(NudgeRoomTest, SoManyAreOutstandingAtMost) {
  devices_ = 1000;
  Break();
  for (int i = 0; i < 300; ++i) Waits(Make("pod-" + std::to_string(i)));
  Judge();
  Recover();
  const std::vector<std::string> first = Nudges(milliseconds(1500));
  ASSERT_THAT(first, SizeIs(NudgePlan::kMaxOutstanding));
  for (std::size_t i = 0; i < 10; ++i) plan_.Remove(Make(first[i]));
  EXPECT_THAT(Nudges(milliseconds(250)), SizeIs(10));
}

// Dynamic resource allocation may serve them; how many are free is not known.
TEST_F(NudgeRoomTest, ANodeThatListsNoDevicesHasRoomForOneAtATime) {
  model::NodeState state = GpuNode("flaps", kV100);
  state.node.capacity = {};
  state.node.allocatable = {};
  snapshot_->UpsertNode(Broken(state).node);
  for (const char* name : {"a", "b"}) Waits(Make(name));
  Judge();
  snapshot_->UpsertNode(state.node);
  Judge();
  EXPECT_THAT(Nudges(seconds(1)), ElementsAre("a"));
  Bind(Make("a"));
  EXPECT_THAT(Nudges(seconds(1)), ElementsAre("b"));
}

}  // namespace
}  // namespace berth::controller
