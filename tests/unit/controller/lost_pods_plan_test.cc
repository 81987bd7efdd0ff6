#include "controller/lost_pods_plan.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/lost_pods_fixtures.h"

namespace berth::controller {
namespace {

using policies::scheduling::kNow;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr LostNodesConfig kConfig{.force_delete_after = minutes(15), .max_share = 0.2};

/// A plan that has watched for long enough to end pods.
class LostPodsPlanTest : public ::testing::Test {
 protected:
  LostPodsPlanTest() { Due(-minutes(15)); }

  /// Names of the pods that are due now, so long after the test began.
  std::vector<std::string> Due(seconds later = seconds(0)) {
    const cluster::Snapshot::Reader reader = snapshot_->Read();
    std::vector<std::string> names;
    for (const LostPod& pod :
         plan_->Due(reader, reader.Terminating(), kNow + later, begin_ + later)) {
      names.push_back(pod.name);
    }
    return names;
  }

  std::size_t Count() {
    const cluster::Snapshot::Reader reader = snapshot_->Read();
    return CountLostPods(reader, reader.Terminating(), kNow);
  }

  /// Nodes ready-0, ready-1 and so on.
  void AddReadyNodes(int count) {
    for (int i = 0; i < count; ++i) snapshot_->UpsertNode(ReadyNode("ready-" + std::to_string(i)));
  }

  /// Nodes lost-0, lost-1 and so on, for 20 minutes.
  void LoseNodes(int count) {
    for (int i = 0; i < count; ++i) {
      snapshot_->UpsertNode(LostNode(minutes(20), "lost-" + std::to_string(i)));
    }
  }

  const LostPodsPlan::Clock::time_point begin_{seconds(1000)};
  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  std::unique_ptr<LostPodsPlan> plan_ = std::make_unique<LostPodsPlan>(kConfig);
};

TEST_F(LostPodsPlanTest, APodIsDueWithAllThatItTakesToEndIt) {
  snapshot_->UpsertNode(LostNode(minutes(15)));
  snapshot_->UpsertPod(HangingPod());
  const cluster::Snapshot::Reader reader = snapshot_->Read();
  EXPECT_THAT(plan_->Due(reader, reader.Terminating(), kNow, begin_),
              ElementsAre(LostPod{.namespace_name = "ml",
                                  .name = "train-0",
                                  .uid = "train-0-uid",
                                  .node = "gpu-1",
                                  .job = "train"}));
}

struct LostPodCase {
  std::string name;
  model::Node node;
  std::function<void(model::Pod&)> change;
  bool counted;
  bool due;
};

void NoChange(model::Pod&) {}

model::Node WithoutTime() {
  model::Node node = LostNode(minutes(20));
  node.conditions.back().last_transition = model::kNoTime;
  return node;
}

model::Node WithoutConditions() {
  model::Node node = LostNode(minutes(20));
  node.conditions.clear();
  return node;
}

class LostPodTable : public LostPodsPlanTest, public ::testing::WithParamInterface<LostPodCase> {};

TEST_P(LostPodTable, IsCountedAndDue) {
  const LostPodCase& test = GetParam();
  snapshot_->UpsertNode(test.node);
  model::Pod pod = HangingPod();
  test.change(pod);
  snapshot_->UpsertPod(pod);
  EXPECT_EQ(Count(), test.counted ? 1U : 0U);
  EXPECT_EQ(Due().size(), test.due ? 1U : 0U);
}

using Status = model::ConditionStatus;

INSTANTIATE_TEST_SUITE_P(
    All, LostPodTable,
    ::testing::Values(
        LostPodCase{"Unknown", LostNode(minutes(15)), NoChange, true, true},
        LostPodCase{"NotReady", NodeThatIs(Status::kFalse, minutes(15)), NoChange, true, true},
        LostPodCase{"NotYet", LostNode(minutes(14)), NoChange, true, false},
        LostPodCase{"Ready", NodeThatIs(Status::kTrue, minutes(60)), NoChange, false, false},
        LostPodCase{"SinceWhenNobodyKnows", WithoutTime(), NoChange, false, false},
        LostPodCase{"OfNoCondition", WithoutConditions(), NoChange, false, false},
        LostPodCase{"WithinItsGracePeriod", LostNode(minutes(15)),
                    [](model::Pod& pod) { pod.deleted = kNow + seconds(1); }, false, false},
        LostPodCase{"NotDeleted", LostNode(minutes(15)),
                    [](model::Pod& pod) { pod.deleted = model::kNoTime; }, false, false},
        LostPodCase{"OfNoJob", LostNode(minutes(15)), [](model::Pod& pod) { pod.job.clear(); },
                    false, false},
        LostPodCase{"OnANodeThatHasGone", LostNode(minutes(15)),
                    [](model::Pod& pod) { pod.node_name = "gone"; }, false, false}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_F(LostPodsPlanTest, ANodeThatCannotBeReadIsNotLost) {
  snapshot_->UpsertNode(LostNode(minutes(20)));
  snapshot_->UpsertPod(HangingPod());
  snapshot_->QuarantineNode({.kind = "Node", .name = "gpu-1", .error = "odd"});
  EXPECT_THAT(Due(), IsEmpty());
  EXPECT_EQ(Count(), 0U);
}

// Of two nodes, one that is lost is half of them.
TEST_F(LostPodsPlanTest, TheBrakeLetsASingleNodePass) {
  AddReadyNodes(1);
  LoseNodes(1);
  snapshot_->UpsertPod(HangingPod("lost-0"));
  EXPECT_THAT(Due(), ElementsAre("train-0"));
}

TEST_F(LostPodsPlanTest, TheBrakeIsOnWhileTooManyNodesAreLost) {
  AddReadyNodes(8);
  LoseNodes(2);  // a fifth
  snapshot_->UpsertPod(HangingPod("lost-0"));
  EXPECT_THAT(Due(), ElementsAre("train-0"));
  LoseNodes(3);
  EXPECT_THAT(Due(), IsEmpty());
}

// After a partition nodes come back one after the other, and their pods with them.
TEST_F(LostPodsPlanTest, TheBrakeHoldsOnForAWhile) {
  AddReadyNodes(8);
  LoseNodes(5);
  snapshot_->UpsertPod(HangingPod("lost-0"));
  EXPECT_THAT(Due(seconds(10)), IsEmpty());
  for (int i = 1; i < 5; ++i) snapshot_->UpsertNode(ReadyNode("lost-" + std::to_string(i)));
  EXPECT_THAT(Due(seconds(20)), IsEmpty());
  EXPECT_THAT(Due(seconds(10) + minutes(15) - seconds(1)), IsEmpty());
  EXPECT_THAT(Due(seconds(10) + minutes(15)), ElementsAre("train-0"));
}

// Many nodes may have been lost until a moment ago; a controller that starts does not know.
TEST_F(LostPodsPlanTest, ANewPlanWatchesForAWhileFirst) {
  AddReadyNodes(8);
  LoseNodes(1);
  snapshot_->UpsertPod(HangingPod("lost-0"));
  plan_ = std::make_unique<LostPodsPlan>(kConfig);
  EXPECT_THAT(Due(seconds(10)), IsEmpty());
  EXPECT_THAT(Due(seconds(10) + minutes(15) - seconds(1)), IsEmpty());
  EXPECT_THAT(Due(seconds(10) + minutes(15)), ElementsAre("train-0"));
}

TEST_F(LostPodsPlanTest, AShareOfOneNeverBrakes) {
  LoseNodes(4);
  snapshot_->UpsertPod(HangingPod("lost-0"));
  LostPodsPlan plan({.force_delete_after = minutes(15), .max_share = 1});
  const cluster::Snapshot::Reader reader = snapshot_->Read();
  EXPECT_EQ(plan.Due(reader, reader.Terminating(), kNow, begin_).size(), 1U);
}

}  // namespace
}  // namespace berth::controller
