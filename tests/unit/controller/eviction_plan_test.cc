#include "controller/eviction_plan.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using model::ConditionStatus;
using policies::scheduling::FixedView;
using policies::scheduling::GpuNode;
using policies::scheduling::kNow;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using policies::scheduling::kV100;

std::string NameOf(int index) { return "v100-" + std::to_string(index); }

model::NodeState Ready(model::NodeState state, bool ready = true) {
  state.node.conditions.push_back({"Ready",
                                   ready ? ConditionStatus::kTrue : ConditionStatus::kFalse,
                                   kNow - std::chrono::hours(9), kNow});
  return state;
}

/// The nodes v100-0, v100-1 and so on, all well and Ready.
std::vector<model::NodeState> Nodes(int count) {
  std::vector<model::NodeState> nodes;
  for (int i = 0; i < count; ++i) nodes.push_back(Ready(GpuNode(NameOf(i), kV100)));
  return nodes;
}

model::NodeState With(model::NodeState state, ConditionStatus status,
                      const std::string& type = "GPUIsLost") {
  std::erase_if(state.node.conditions, [&](const auto& each) { return each.type == type; });
  state.node.conditions.push_back({type, status, kNow - std::chrono::hours(3), kNow});
  return state;
}

EvictionRules Rules(minutes after = minutes(10)) {
  return {.evict = {{.condition = "GPUIsLost", .after = after}}, .health = {}};
}

EvictionRules PenalizingRules() {
  EvictionRules rules = Rules();
  rules.health.breaker.action = policies::scheduling::BreakerAction::kPenalize;
  return rules;
}

/// For a condition that excludes nodes only for pods that ask for RDMA.
EvictionRules RulesForRdma() {
  EvictionRules rules = Rules();
  rules.evict[0].condition = "NICLinkDown";
  rules.health.conditions = {{.type = "NICLinkDown", .resources = {"rdma/*"}}};
  return rules;
}

/// A plan that looks at nodes from time to time.
class EvictionPlanTest : public testing::Test {
 protected:
  std::vector<NodeToEmpty> NodesDueAfter(seconds later,
                                         const std::vector<model::NodeState>& nodes) {
    passed_ += later;
    return plan_->Due(FixedView(nodes), *policies::scheduling::Catalog(), kNow + passed_ + skew_,
                      EvictionPlan::Clock::time_point(std::chrono::hours(1) + passed_));
  }

  std::vector<std::string> DueAfter(seconds later, const std::vector<model::NodeState>& nodes) {
    std::vector<std::string> names;
    for (const NodeToEmpty& node : NodesDueAfter(later, nodes)) names.push_back(node.node);
    return names;
  }

  /// Since when each node counts as excluded that is due later, by name.
  std::map<std::string, model::Time> SinceOfDue(const std::vector<model::NodeState>& nodes) {
    DueAfter(seconds(0), nodes);
    std::map<std::string, model::Time> since;
    for (const NodeToEmpty& node : NodesDueAfter(minutes(10), nodes)) {
      since[node.node] = node.since;
    }
    return since;
  }

  std::unique_ptr<EvictionPlan> plan_ = std::make_unique<EvictionPlan>(Rules());
  seconds passed_{0};
  seconds skew_{0};
};

TEST_F(EvictionPlanTest, ANodeIsDueWhenItWasSeenExcludedForLong) {
  auto nodes = Nodes(4);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  EXPECT_THAT(DueAfter(seconds(0), nodes), IsEmpty());
  EXPECT_THAT(DueAfter(minutes(10) - seconds(1), nodes), IsEmpty());
  EXPECT_THAT(DueAfter(seconds(1), nodes), ElementsAre("v100-1"));
}

TEST_F(EvictionPlanTest, OtherConditionsEmptyNoNode) {
  auto nodes = Nodes(4);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue, "DStateProcess");
  DueAfter(seconds(0), nodes);
  EXPECT_THAT(DueAfter(minutes(30), nodes), IsEmpty());
}

TEST_F(EvictionPlanTest, TheLongestExcludedComesFirst) {
  auto nodes = Nodes(8);
  nodes[5] = With(nodes[5], ConditionStatus::kTrue);
  DueAfter(seconds(0), nodes);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  DueAfter(minutes(1), nodes);
  EXPECT_THAT(DueAfter(minutes(20), nodes), ElementsAre("v100-5", "v100-1"));
}

TEST_F(EvictionPlanTest, ANodeThatRecoversIsLeftAloneAndStartsAnew) {
  auto nodes = Nodes(4);
  const auto broken = With(nodes[1], ConditionStatus::kTrue);
  const auto well = nodes[1];
  nodes[1] = broken;
  DueAfter(seconds(0), nodes);
  nodes[1] = well;
  EXPECT_THAT(DueAfter(minutes(11), nodes), IsEmpty());
  nodes[1] = broken;
  EXPECT_THAT(DueAfter(seconds(1), nodes), IsEmpty());
  EXPECT_THAT(DueAfter(minutes(10), nodes), ElementsAre("v100-1"));
}

// It says False until it has looked; the snapshot remembers that the condition was bad for long,
// and keeps its effect meanwhile.
TEST_F(EvictionPlanTest, ARestartOfTheDetectorNeitherEvictsNorForgets) {
  auto nodes = Nodes(4);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  DueAfter(seconds(0), nodes);
  DueAfter(minutes(9), nodes);
  auto restarted = With(nodes[1], ConditionStatus::kFalse);
  restarted.node.conditions.back().last_transition = kNow + minutes(10);
  restarted.past = {{"GPUIsLost", kNow - std::chrono::hours(3), kNow + minutes(10)}};
  const auto broken = nodes[1];
  nodes[1] = restarted;
  EXPECT_THAT(DueAfter(minutes(1), nodes), IsEmpty());
  nodes[1] = broken;
  EXPECT_THAT(DueAfter(seconds(30), nodes), ElementsAre("v100-1"));
}

TEST_F(EvictionPlanTest, LostHeartbeatsMoveNoPod) {
  EvictionRules rules = Rules();
  rules.health.stale_after = minutes(5);
  rules.health.unknown_status = policies::scheduling::Effect::kExclude;
  plan_ = std::make_unique<EvictionPlan>(rules);
  auto nodes = Nodes(4);
  nodes[1] = With(nodes[1], ConditionStatus::kFalse);  // silent from now on
  DueAfter(seconds(0), nodes);
  EXPECT_THAT(DueAfter(minutes(60), nodes), IsEmpty());
  nodes[1] = With(nodes[1], ConditionStatus::kUnknown);
  EXPECT_THAT(DueAfter(minutes(60), nodes), IsEmpty());
  EXPECT_THAT(DueAfter(minutes(60), nodes), IsEmpty());
}

// What the node's clock says of the beginning does not matter, nor does ours jump.
TEST_F(EvictionPlanTest, ClocksThatAreWrongMoveNoPodSooner) {
  auto nodes = Nodes(4);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  nodes[1].node.conditions.back().last_transition = kNow - std::chrono::hours(100);
  nodes[2] = With(nodes[2], ConditionStatus::kTrue);
  nodes[2].node.conditions.back().last_transition = kNow + minutes(5);
  DueAfter(seconds(0), nodes);
  skew_ = minutes(5);
  EXPECT_THAT(DueAfter(minutes(9), nodes), IsEmpty());
  skew_ = -minutes(5);
  EXPECT_THAT(DueAfter(minutes(1), nodes), ElementsAre("v100-1", "v100-2"));
}

// As after a restart of the controller. Five minutes are for the clocks.
TEST_F(EvictionPlanTest, WhatIsFoundAtTheFirstLookIsExcludedSinceTheConditionSays) {
  auto nodes = Nodes(12);
  const model::Time began[] = {kNow - std::chrono::hours(3), kNow - minutes(2), kNow + minutes(5),
                               model::kNoTime};
  for (int i = 0; i < 4; ++i) {
    nodes[i] = With(nodes[i], ConditionStatus::kTrue);
    nodes[i].node.conditions.back().last_transition = began[i];
  }
  EXPECT_THAT(SinceOfDue(nodes),
              ElementsAre(Pair("v100-0", kNow - std::chrono::hours(3) + minutes(5)),
                          Pair("v100-1", kNow + minutes(3)), Pair("v100-2", kNow + minutes(5)),
                          Pair("v100-3", kNow + minutes(5))));
}

TEST_F(EvictionPlanTest, ANodeWasNotExcludedBeforeTheMinDurationWasOver) {
  EvictionRules rules = Rules();
  rules.health.conditions = {{.type = "GPUIsLost", .min_duration = minutes(30)}};
  plan_ = std::make_unique<EvictionPlan>(rules);
  auto nodes = Nodes(4);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  EXPECT_THAT(SinceOfDue(nodes),
              ElementsAre(Pair("v100-1", kNow - std::chrono::hours(3) + minutes(35))));
}

// The condition may have kept a time of long ago, and the clock of the node may be wrong. Five
// minutes are for that of the controller.
TEST_F(EvictionPlanTest, WhatBeginsLaterIsExcludedSinceItWasSeen) {
  auto nodes = Nodes(4);
  DueAfter(seconds(0), nodes);
  passed_ += minutes(1);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-1", kNow + minutes(6))));
}

TEST_F(EvictionPlanTest, WhatIsCreatedAfterThoseThatAreEvictedIsNotToGo) {
  auto nodes = Nodes(4);
  const auto well = nodes[1];
  DueAfter(seconds(0), nodes);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  DueAfter(minutes(1), nodes);
  const auto due = NodesDueAfter(minutes(10), nodes);
  ASSERT_THAT(due, testing::SizeIs(1));
  plan_->OnEvicting(due[0], kNow - minutes(20));
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-1", kNow - minutes(20) + seconds(1))));
  plan_->OnEvicting(due[0], kNow - minutes(10));
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-1", kNow - minutes(20) + seconds(1))));

  nodes[1] = well;
  DueAfter(minutes(1), nodes);
  plan_->OnEvicting(due[0], kNow - minutes(20));  // too late
  nodes[1] = With(well, ConditionStatus::kTrue);
  passed_ = minutes(60);
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-1", kNow + minutes(65))));
}

/// As of a controller that starts again: what came before it is not known.
class AfterARestart : public EvictionPlanTest {
 protected:
  /// A fault that began three hours ago, and five minutes for the clock of the node.
  static constexpr model::Time kFault = kNow - std::chrono::hours(3) + minutes(5);
};

TEST_F(AfterARestart, WhatIsAwayMeanwhileIsExcludedSinceTheConditionSays) {
  auto nodes = Nodes(4);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  nodes[2].node.unschedulable = nodes[3].node.unschedulable = true;
  EXPECT_THAT(DueAfter(seconds(0), nodes), IsEmpty());
  nodes[2].node.unschedulable = false;
  passed_ += minutes(20);
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-1", kFault)));
}

TEST_F(AfterARestart, WhatABreakerHoldsUpIsExcludedSinceTheConditionSays) {
  auto nodes = Nodes(12);
  for (int i = 0; i < 7; ++i) nodes[i] = With(nodes[i], ConditionStatus::kTrue);
  EXPECT_THAT(DueAfter(seconds(0), nodes), IsEmpty());
  for (int i = 1; i < 7; ++i) nodes[i] = Nodes(12)[i];
  passed_ += minutes(20);
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-0", kFault)));
}

TEST_F(AfterARestart, WhatCannotBeReadIsExcludedSinceTheConditionSays) {
  auto nodes = Nodes(4);
  const model::NodeState broken = With(nodes[1], ConditionStatus::kTrue);
  model::NodeState never_read;
  never_read.node.name = broken.node.name;
  never_read.quarantined = true;
  nodes[1] = never_read;
  DueAfter(seconds(0), nodes);
  nodes[1] = broken;
  passed_ += minutes(20);
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-1", kFault)));
}

// Which excludes it, too.
TEST_F(AfterARestart, WhatIsUnknownIsExcludedSinceTheConditionSays) {
  EvictionRules rules = Rules();
  rules.health.unknown_status = policies::scheduling::Effect::kExclude;
  plan_ = std::make_unique<EvictionPlan>(rules);
  auto nodes = Nodes(4);
  nodes[1] = With(nodes[1], ConditionStatus::kUnknown);
  EXPECT_THAT(DueAfter(seconds(0), nodes), IsEmpty());
  EXPECT_THAT(DueAfter(minutes(20), nodes), IsEmpty());
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  nodes[1].node.conditions.back().last_transition = kNow + minutes(20);
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-1", kFault)));
}

// A moment ago a breaker may have been tripped.
TEST_F(AfterARestart, WhereBreakersPenaliseWhatIsFoundIsExcludedSinceItWasSeen) {
  plan_ = std::make_unique<EvictionPlan>(PenalizingRules());
  auto nodes = Nodes(12);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-1", kNow + minutes(5))));
}

TEST_F(AfterARestart, ABreakerThatPenalisesOpensNodesUntilItCloses) {
  plan_ = std::make_unique<EvictionPlan>(PenalizingRules());
  auto nodes = Nodes(12);
  for (int i = 0; i < 7; ++i) nodes[i] = With(nodes[i], ConditionStatus::kTrue);
  EXPECT_THAT(DueAfter(seconds(0), nodes), IsEmpty());
  for (int i = 1; i < 7; ++i) nodes[i] = Nodes(12)[i];
  passed_ += minutes(20);
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-0", kNow + minutes(25))));
}

// What has come since somebody stands back has come past Berth.
TEST_F(EvictionPlanTest, WhoStandsBackDoesNotForgetSinceWhenANodeIsExcluded) {
  auto nodes = Nodes(12);
  const auto well = nodes;
  DueAfter(seconds(0), nodes);
  nodes[0] = With(nodes[0], ConditionStatus::kTrue);
  DueAfter(minutes(1), nodes);
  for (int i = 1; i < 7; ++i) nodes[i] = With(nodes[i], ConditionStatus::kTrue);
  EXPECT_THAT(DueAfter(minutes(20), nodes), IsEmpty());
  for (int i = 1; i < 7; ++i) nodes[i] = well[i];
  EXPECT_THAT(DueAfter(seconds(1), nodes), IsEmpty());
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-0", kNow + minutes(6))));
}

TEST_F(EvictionPlanTest, ABreakerThatPenalisesOpensANodeThatWasExcluded) {
  plan_ = std::make_unique<EvictionPlan>(PenalizingRules());
  auto nodes = Nodes(12);
  const auto well = nodes;
  nodes[0] = With(nodes[0], ConditionStatus::kTrue);
  DueAfter(seconds(0), nodes);
  for (int i = 1; i < 7; ++i) nodes[i] = With(nodes[i], ConditionStatus::kTrue);
  EXPECT_THAT(DueAfter(minutes(20), nodes), IsEmpty());
  for (int i = 1; i < 7; ++i) nodes[i] = well[i];
  passed_ += minutes(1);
  EXPECT_THAT(SinceOfDue(nodes), ElementsAre(Pair("v100-0", kNow + minutes(26))));
}

// A detector that lies about half of the pool, and takes that back node by node.
TEST_F(EvictionPlanTest, StandsBackWhileTheBreakerIsTrippedAndForAsLongAfterwards) {
  auto nodes = Nodes(12);
  for (int i = 0; i < 7; ++i) nodes[i] = With(nodes[i], ConditionStatus::kTrue);
  DueAfter(seconds(0), nodes);
  EXPECT_THAT(DueAfter(minutes(30), nodes), IsEmpty());
  nodes[6] = Nodes(12)[6];
  nodes[5] = Nodes(12)[5];
  EXPECT_THAT(DueAfter(seconds(1), nodes), IsEmpty());
  EXPECT_THAT(DueAfter(minutes(9), nodes), IsEmpty());
  EXPECT_THAT(DueAfter(minutes(1), nodes), testing::SizeIs(5));
}

// Also in pools that are too small for a breaker, and whatever the reason.
TEST_F(EvictionPlanTest, StandsBackWhileMuchOfThePoolIsAway) {
  auto nodes = Nodes(4);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  DueAfter(seconds(0), nodes);
  nodes[2].node.unschedulable = true;
  EXPECT_THAT(DueAfter(minutes(20), nodes), ElementsAre("v100-1"));
  nodes[3] = With(nodes[3], ConditionStatus::kTrue, "DStateProcess");
  EXPECT_THAT(DueAfter(seconds(1), nodes), IsEmpty());
  nodes[3] = Ready(GpuNode(NameOf(3), kV100), false);
  EXPECT_THAT(DueAfter(minutes(20), nodes), IsEmpty());
  nodes[3] = Nodes(4)[3];
  DueAfter(seconds(1), nodes);
  EXPECT_THAT(DueAfter(minutes(10), nodes), ElementsAre("v100-1"));
}

TEST_F(EvictionPlanTest, APoolOfOneNodeIsNeverEmptied) {
  auto nodes = Nodes(1);
  nodes[0] = With(nodes[0], ConditionStatus::kTrue);
  DueAfter(seconds(0), nodes);
  EXPECT_THAT(DueAfter(minutes(20), nodes), IsEmpty());
}

// No node of the pool would take the pods that the entry is for.
TEST_F(EvictionPlanTest, StandsBackWhileAnEntryForSomePodsExcludesMuchOfThePool) {
  plan_ = std::make_unique<EvictionPlan>(RulesForRdma());
  auto nodes = Nodes(4);
  for (int i = 0; i < 3; ++i) nodes[i] = With(nodes[i], ConditionStatus::kTrue, "NICLinkDown");
  DueAfter(seconds(0), nodes);
  EXPECT_THAT(DueAfter(minutes(20), nodes), IsEmpty());
  nodes[2] = Nodes(4)[2];
  EXPECT_THAT(DueAfter(seconds(1), nodes), IsEmpty());
  EXPECT_THAT(DueAfter(minutes(10), nodes), ElementsAre("v100-0", "v100-1"));
}

TEST_F(EvictionPlanTest, APoolOfOneNodeIsNeverEmptiedOfSomePodsEither) {
  plan_ = std::make_unique<EvictionPlan>(RulesForRdma());
  auto nodes = Nodes(1);
  nodes[0] = With(nodes[0], ConditionStatus::kTrue, "NICLinkDown");
  DueAfter(seconds(0), nodes);
  EXPECT_THAT(DueAfter(minutes(20), nodes), IsEmpty());
}

// Other pods still get onto those nodes.
TEST_F(EvictionPlanTest, AnEntryForSomePodsHoldsUpNoOther) {
  EvictionRules rules = RulesForRdma();
  rules.evict.push_back(Rules().evict[0]);
  plan_ = std::make_unique<EvictionPlan>(rules);
  auto nodes = Nodes(4);
  for (int i = 0; i < 3; ++i) nodes[i] = With(nodes[i], ConditionStatus::kTrue, "NICLinkDown");
  nodes[3] = With(nodes[3], ConditionStatus::kTrue);
  DueAfter(seconds(0), nodes);
  EXPECT_THAT(DueAfter(minutes(10), nodes), ElementsAre("v100-3"));
}

// kube-controller-manager ends the pods of nodes that are not Ready; a node that cannot be read is
// unknown.
TEST_F(EvictionPlanTest, NodesThatAreNotReadyOrNotReadableAreLeftAlone) {
  auto nodes = Nodes(8);
  nodes[1] = With(Ready(GpuNode(NameOf(1), kV100), false), ConditionStatus::kTrue);
  nodes[2] = With(nodes[2], ConditionStatus::kTrue);
  nodes[2].quarantined = true;
  DueAfter(seconds(0), nodes);
  EXPECT_THAT(DueAfter(minutes(20), nodes), IsEmpty());
}

TEST_F(EvictionPlanTest, ANewNodeOfTheSameNameStartsAnew) {
  auto nodes = Nodes(4);
  nodes[1] = With(nodes[1], ConditionStatus::kTrue);
  nodes[1].node.uid = "old";
  DueAfter(seconds(0), nodes);
  nodes[1].node.uid = "new";
  EXPECT_THAT(DueAfter(minutes(20), nodes), IsEmpty());
}

TEST_F(EvictionPlanTest, TellsHowManyNodesMayBeEmptiedAtOnce) {
  for (const auto& [count, share, most] :
       {std::tuple(4, 0.1, 1U), std::tuple(40, 0.1, 4U), std::tuple(39, 0.1, 3U)}) {
    auto nodes = Nodes(count);
    nodes[1] = With(nodes[1], ConditionStatus::kTrue);
    EvictionRules rules = Rules();
    rules.evict[0].max_share = share;
    EvictionPlan plan(rules);
    const EvictionPlan::Clock::time_point start(std::chrono::hours(1));
    plan.Due(FixedView(nodes), *policies::scheduling::Catalog(), kNow, start);
    const auto due = plan.Due(FixedView(nodes), *policies::scheduling::Catalog(),
                              kNow + minutes(10), start + minutes(10));
    ASSERT_THAT(due, testing::SizeIs(1));
    EXPECT_EQ(due[0].at_once, most) << count;
  }
}

}  // namespace
}  // namespace berth::controller
