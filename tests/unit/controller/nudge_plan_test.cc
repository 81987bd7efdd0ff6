#include "controller/nudge_plan.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/heap_meter.h"

namespace berth::controller {
namespace {

using policies::scheduling::GpuNode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using policies::scheduling::kV100;
constexpr char kA30[] = "NVIDIA-A30";

/// What kube-scheduler reports of a pod that found no node.
std::string Blames(int nodes, const std::string& condition = "GPUIsLost") {
  return "0/9 nodes are available: " + std::to_string(nodes) + " node(s) had condition " +
         condition + ", 4 Insufficient nvidia.com/gpu. preemption: 0/9 nodes are available: 9 " +
         "Preemption is not helpful for scheduling.";
}

/// A node of eight devices, of which so many are kept for a gang.
model::NodeState KeptForAGang(const std::string& name, int devices) {
  model::NodeState node = GpuNode(name, kV100);
  node.node.annotations = {
      {"berth.dev/kept",
       "ml/gang resource=nvidia.com/gpu devices=" + std::to_string(devices) +
           " priority=0 created=2027-01-01T00:00:00Z ends-by=2027-01-01T00:00:00Z "
           "until=2027-02-01T00:00:00Z"}};
  return node;
}

/// What kube-scheduler reports of a pod that found such nodes alone.
std::string BlamesKept(int nodes) {
  return "0/9 nodes are available: " + std::to_string(nodes) +
         " node(s) had devices that are kept for a gang.";
}

class NudgePlanTest : public ::testing::Test {
 protected:
  NudgePlanTest() {
    Node(Broken(GpuNode("bad", kV100)));
    Node(Broken(GpuNode("worse", kV100)));
    Node(GpuNode("full", kV100));
  }

  void Node(const model::NodeState& state) { snapshot_->UpsertNode(state.node); }

  model::Pod Waits(const std::string& name, const std::string& message = Blames(2), int age = 0) {
    model::Pod pod = PodOn("", name);
    pod.unschedulable = message;
    pod.created = policies::scheduling::kNow - seconds(age);
    plan_.Upsert(pod, now_);
    return pod;
  }

  void Judge() { plan_.Judge(snapshot_->Read(), time_, now_); }

  /// The pods that are nudged while time passes, with the second in which they are.
  std::vector<std::string> Nudges(seconds duration) {
    std::vector<std::string> nudges;
    for (const auto end = now_ + duration; now_ < end;) {
      now_ += milliseconds(250);
      Judge();
      while (const auto pod = plan_.TakeDue(now_)) {
        const auto second = std::chrono::duration_cast<seconds>(now_ - begin_).count();
        nudges.push_back(pod->name + "@" + std::to_string(second));
      }
    }
    return nudges;
  }

  /// From here on seconds count.
  void Recover(const std::string& node) {
    begin_ = now_;
    Node(GpuNode(node, kV100));
    Judge();
  }

  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  policies::scheduling::SchedulingConfig config_;
  NudgePlan plan_{std::make_shared<const policies::scheduling::SchedulingEngine>(
      policies::scheduling::Catalog(), "berth.dev", config_)};
  NudgePlan::Clock::time_point now_{seconds(1000)};
  NudgePlan::Clock::time_point begin_ = now_;
  model::Time time_ = policies::scheduling::kNow;
};

TEST_F(NudgePlanTest, APodOfWhichNothingIsHeardIsDueFourTimesAfterItsNodeRecovered) {
  Waits("train");
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(400)), ElementsAre("train@1", "train@3", "train@10", "train@30"));
}

// kube-scheduler has tried it, and Berth knew: there is nothing that another try would change.
TEST_F(NudgePlanTest, APodThatWasTriedIsNotNudgedAgainForTheSameCause) {
  Waits("train");
  Judge();
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
  Waits("train", Blames(1));
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
  Recover("worse");
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
}

TEST_F(NudgePlanTest, WhatRecoveredBeforeAPodCameIsNoCauseToNudgeIt) {
  Waits("early");
  Judge();
  Recover("bad");
  now_ += milliseconds(500);
  Waits("late", Blames(1));
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("early@1"));
}

TEST_F(NudgePlanTest, APodThatCannotBeReadWaitsOn) {
  const model::Pod train = Waits("train");
  const model::Pod other = Waits("other");
  Judge();
  plan_.BeginReplace();
  plan_.Keep({.kind = "Pod", .namespace_ = train.namespace_, .name = "train", .error = "odd"});
  plan_.Keep({.kind = "Pod",
              .namespace_ = other.namespace_,
              .name = "other",
              .uid = "of another",
              .error = "odd"});
  plan_.Keep({.kind = "Pod", .namespace_ = "ml", .name = "unknown", .error = "odd"});
  plan_.EndReplace();
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
}

TEST_F(NudgePlanTest, APodIsDueWhenItsNodeCanBeReadAgain) {
  snapshot_->QuarantineNode({.kind = "Node", .name = "full", .error = "odd"});
  Waits("train", "0/9 nodes are available: 1 node(s) could not be read by Berth.");
  Judge();
  Recover("full");
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
}

// The report of a pod is as true whether gangs come before it or not, and whoever was first of its
// shape.
TEST_F(NudgePlanTest, APodIsDueWhenItsNodeIsKeptForNoGangAnyMore) {
  Node(KeptForAGang("full", 8));
  model::Pod other = PodOn("", "other");
  other.annotations = {
      {"berth.dev/gang-name", "g"}, {"berth.dev/gang-size", "2"}, {"berth.dev/max-runtime", "1m"}};
  other.priority = 7;
  plan_.Upsert(other, now_);
  Waits("train", BlamesKept(1));
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
  Recover("full");
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
}

// Nothing is kept from pods that come before the gang, or end in time.
TEST_F(NudgePlanTest, APodIsDueWhenItsNodeRecoversThoughItIsKeptForAGang) {
  Waits("train");
  Judge();
  Recover("bad");
  now_ += milliseconds(500);
  Node(KeptForAGang("bad", 8));
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
  Waits("train", BlamesKept(1));
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty()) << "it comes after the gang, and was tried in vain";
}

// The extender counts pods that are on their way to the node, or nominated for it.
TEST_F(NudgePlanTest, AReportOfMoreNodesThatAreKeptThanThereAreIsNotStale) {
  Node(KeptForAGang("full", 4));
  Waits("train", BlamesKept(1));
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
}

TEST_F(NudgePlanTest, APodThatIsBoundIsLeftAlone) {
  model::Pod pod = Waits("train");
  Judge();
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
  pod.node_name = "bad";
  plan_.Remove(pod);
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
  EXPECT_EQ(plan_.pods(), 0U);
}

TEST_F(NudgePlanTest, APodThatIsRefusedForOtherReasonsIsLeftAlone) {
  for (const std::string& message :
       {std::string(), std::string("0/9 nodes are available: 9 Insufficient nvidia.com/gpu."),
        Blames(2, "GPUIsLostAgain"), Blames(2, "DStateProcess")}) {
    Waits("train", message);
    Judge();
    Recover("bad");
    if (message == Blames(2, "DStateProcess")) continue;
    EXPECT_THAT(Nudges(seconds(60)), IsEmpty()) << message;
    Node(Broken(GpuNode("bad", kV100)));
  }
}

TEST_F(NudgePlanTest, TheOldestPodComesFirst) {
  Waits("b", Blames(2), 10);
  Waits("a", Blames(2), 5);
  Waits("c", Blames(2), 20);
  Judge();
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("c@1", "b@1", "a@1"));
}

TEST_F(NudgePlanTest, ANodeThatDoesNotFitThePodIsNoChange) {
  Waits("train");
  model::Pod picky = PodOn("", "picky");
  picky.annotations = {{"berth.dev/accelerators", "A30"}};
  picky.unschedulable = Blames(1);
  Node(Broken(GpuNode("other", kA30)));
  plan_.Upsert(picky, now_);
  Judge();
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
}

// kube-scheduler counts a node that is well by now: the extender was asked before it knew.
TEST_F(NudgePlanTest, AReportThatCountsTooManyNodesIsStale) {
  Judge();
  Waits("late", Blames(3));
  EXPECT_THAT(Nudges(seconds(60)), ElementsAre("late@1", "late@3", "late@10", "late@30"));
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
  begin_ = now_;
  Waits("late", Blames(4));  // it was tried again, and refused as wrongly
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("late@1"));
}

TEST_F(NudgePlanTest, ATrueReportIsNoReason) {
  Waits("train", Blames(2));
  Waits("sampled", Blames(1));  // not all nodes are offered to the extender
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
}

TEST_F(NudgePlanTest, ANewNodeThatFitsIsAChangeForPodsThatItWasUnknownTo) {
  Waits("train", "0/9 nodes are available: 1 node(s) were unknown to Berth.");
  Judge();
  begin_ = now_;
  Node(GpuNode("new", kV100));
  EXPECT_FALSE(Nudges(seconds(5)).empty());
}

TEST_F(NudgePlanTest, ASecondRecoveryStartsItsOwnSeries) {
  Waits("train");
  Judge();
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(12)), ElementsAre("train@1", "train@3", "train@10"));
  Waits("train", Blames(1));
  Judge();
  Recover("worse");
  Waits("train", "0/9 nodes are available: 1 node(s) had condition GPUIsLost.");
  EXPECT_THAT(Nudges(seconds(5)), ElementsAre("train@1", "train@3"));
}

// The breaker judges nodes by others: they come to fit though nothing of theirs has changed.
TEST_F(NudgePlanTest, ABreakerThatTripsMakesNodesFit) {
  policies::scheduling::SchedulingConfig config;
  using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  std::get<Health>(config.policies.all).config.breaker = {
      .fraction = 0.9, .min_nodes = 1, .action = policies::scheduling::BreakerAction::kPenalize};
  NudgePlan plan(std::make_shared<const policies::scheduling::SchedulingEngine>(
      policies::scheduling::Catalog(), "berth.dev", config));
  model::Pod pod = PodOn("", "train");
  pod.unschedulable = Blames(2);
  plan.Upsert(pod, now_);
  plan.Judge(snapshot_->Read(), time_, now_);
  Node(Broken(GpuNode("full", kV100)));
  plan.Judge(snapshot_->Read(), time_, now_);
  now_ += seconds(1);
  plan.Judge(snapshot_->Read(), time_ + seconds(1), now_);
  EXPECT_TRUE(plan.TakeDue(now_).has_value());
}

TEST_F(NudgePlanTest, AListForgetsWhatItDoesNotHave) {
  Waits("gone");
  plan_.BeginReplace();
  Waits("train");
  plan_.EndReplace();
  EXPECT_EQ(plan_.pods(), 1U);
  Judge();
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
}

TEST_F(NudgePlanTest, PodsWithoutAcceleratorHaveNoPlace) {
  model::Pod pod = PodOn("", "web");
  pod.requests = {};
  pod.unschedulable = Blames(2);
  plan_.Upsert(pod, now_);
  EXPECT_EQ(plan_.pods(), 0U);
}

TEST_F(NudgePlanTest, AnotherPodOfTheNameIsAnotherPod) {
  const model::Pod former = Waits("train");
  Judge();
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
  model::Pod next = former;
  next.uid = "another";
  plan_.Upsert(next, now_);
  plan_.Remove(former);
  EXPECT_EQ(plan_.pods(), 1U);
  now_ += seconds(30);
  Judge();
  ASSERT_TRUE(plan_.TakeDue(now_).has_value());
}

// A nudge is an annotation below the prefix, and must not make a shape of its own.
TEST_F(NudgePlanTest, BeingNudgedChangesNothing) {
  model::Pod pod = Waits("train");
  Judge();
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
  pod.annotations = {{"berth.dev/nudged-at", "2027-01-15T08:00:00Z"}};
  plan_.Upsert(pod, now_);
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@3"));
}

TEST_F(NudgePlanTest, APodThatIsChangedMeanwhileIsNudgedAllTheSame) {
  model::Pod pod = Waits("train", Blames(1));
  Judge();
  Recover("bad");
  now_ += milliseconds(500);
  pod.labels = {{"team", "a"}};
  plan_.Upsert(pod, now_);
  EXPECT_THAT(Nudges(seconds(2)), ElementsAre("train@1"));
}

TEST_F(NudgePlanTest, FollowsSoManyShapesAndNoMore) {
  for (std::size_t i = 0; i <= NudgePlan::kMaxShapes; ++i) {
    model::Pod pod = PodOn("", "pod-" + std::to_string(i));
    pod.tolerations.push_back({.key = "team-" + std::to_string(i)});
    pod.unschedulable = Blames(2);
    pod.priority = static_cast<std::int32_t>(i);
    plan_.Upsert(pod, now_);
  }
  Judge();
  Recover("bad");
  const std::string last = "pod-" + std::to_string(NudgePlan::kMaxShapes - 1);
  EXPECT_THAT(Nudges(seconds(2)), testing::AllOf(SizeIs(8), Contains(last + "@1")));
}

TEST_F(NudgePlanTest, PodsOfHugeShapesAreLeftToKubeSchedulersOwnRetries) {
  model::Pod huge = PodOn("", "huge");
  huge.unschedulable = Blames(2);
  huge.tolerations.push_back({.key = std::string(NudgePlan::kMaxShapeBytes, 'k')});
  plan_.Upsert(huge, now_);
  Judge();
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
}

// The key of a shape has only what policies read of a pod.
TEST_F(NudgePlanTest, PodsThatAreTooLargeToBeKeptAreLeftToKubeSchedulersOwnRetries) {
  model::Pod large = PodOn("", "large");
  large.unschedulable = Blames(2);
  large.tolerations.assign(95'000, {.op = "Exists", .effect = "NoSchedule"});
  plan_.Upsert(large, now_);
  Judge();
  Recover("bad");
  EXPECT_THAT(Nudges(seconds(60)), IsEmpty());
}

TEST_F(NudgePlanTest, LittleIsKeptOfAPodOfEachShape) {
  constexpr std::size_t kShapes = 20;
  const std::size_t before = tests::LiveBytes();
  for (std::size_t i = 0; i < kShapes; ++i) {
    model::Pod pod = PodOn("", "pod-" + std::to_string(i));
    pod.tolerations.push_back({.key = "team-" + std::to_string(i)});
    pod.annotations.emplace_back("example.com/text", std::string(200 << 10, 'x'));
    for (std::size_t name = 0; name < 50'000; ++name) {
      pod.requests.Set("example.com/" + std::to_string(100'000 + name), 0);
    }
    plan_.Upsert(pod, now_);
  }
  // Nothing is metered under sanitizers.
  EXPECT_LT(tests::LiveBytes() - before, kShapes * (32U << 10));
}

}  // namespace
}  // namespace berth::controller
