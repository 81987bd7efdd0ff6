// Nominations for pods that fit a node only once others are evicted there.

#include "planner/evictions.h"

#include "planner/planner.h"
#include "tests/unit/planner/fixture.h"

namespace berth::planner {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kEvicts[] = "0/9 nodes are available: 9 Insufficient nvidia.com/gpu.";

// Two nodes that are full. The victims on b have the lower priority.
Fixture FullNodes() {
  Fixture f;
  f.nodes = {RoomyNode("a"), RoomyNode("b")};
  f.Run("a", 8, 5);
  f.Run("b", 8, 1);
  return f;
}

// And a pod that is nominated to b.
Fixture AwaitingEviction() {
  Fixture f = FullNodes();
  f.RefuseSampled("1", 1, 10);
  EXPECT_THAT(f.Plan(), ElementsAre("1 b"));
  EXPECT_EQ(f.StateOf("1"), State::kEviction);
  return f;
}

std::size_t NumberOf(const Fixture& f, State state) {
  return f.planner->states()[static_cast<std::size_t>(state)];
}

TEST(Evictions, ThePodIsNominatedWhereTheLeastIsEvicted) {
  Fixture f = AwaitingEviction();
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kEviction);
  EXPECT_EQ(NumberOf(f, State::kEviction), 1U);
  EXPECT_THAT(f.Outcomes(), IsEmpty());
}

TEST(Evictions, TheStepSaysWhatItIsFor) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.Run("a", 8, 1);
  f.RefuseSampled("1", 8, 10);
  const std::vector<Step> steps = f.PlanOnly();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(PurposeOf(steps[0]), "eviction");
  Fixture idle;
  idle.nodes = {RoomyNode("a")};
  idle.RefuseSampled("1", 8, 10);
  EXPECT_EQ(PurposeOf(idle.PlanOnly().at(0)), "rescue");
  Fixture waiting;
  waiting.nodes = {RoomyNode("a")};
  waiting.Wait("1");
  waiting.Pass(Planner::kBacklogAge);
  EXPECT_EQ(PurposeOf(waiting.PlanOnly().at(0)), "backlog");
}

TEST(Evictions, FewerVictimsOfOnePriorityAreLess) {
  Fixture f;
  f.nodes = {RoomyNode("a"), RoomyNode("b")};
  for (int i = 0; i < 4; ++i) f.Run("a", 2, 1);
  f.Run("b", 8, 1);
  f.RefuseSampled("1", 4, 10);
  EXPECT_THAT(f.Plan(), ElementsAre("1 b"));
}

TEST(Evictions, NobodyIsEvictedWhileANodeFits) {
  Fixture f = FullNodes();
  f.nodes.push_back(RoomyNode("c"));
  f.RefuseSampled("1", 1, 10);
  EXPECT_THAT(f.Plan(), ElementsAre("1 c"));
  EXPECT_EQ(f.StateOf("1"), State::kNominated);
}

TEST(Evictions, PodsOfNoLowerPriorityAreNoVictims) {
  Fixture f = FullNodes();
  f.RefuseSampled("1", 1, 1);
  f.RefuseSampled("2", 9, 10);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNoNode);
  EXPECT_EQ(f.StateOf("2"), State::kNoNode);
}

TEST(Evictions, OnlyWhereKubeSchedulerFoundNoVictimsInASample) {
  const std::string sample = "0/9 nodes are available: 9 " + Engine()->reasons()[1].text + ".";
  const std::string messages[] = {
      // Not refused.
      "",
      // It has looked at all nodes.
      kRefused,
      // It evicts pods.
      sample,
      sample + " preemption: not eligible due to a terminating pod on the nominated node.",
      // The pod may not preempt.
      sample + " preemption: not eligible due to preemptionPolicy=Never.",
  };
  for (const std::string& message : messages) {
    Fixture f = FullNodes();
    f.RefuseSampled("1", 1, 10);
    f.Edit("1", [&](model::Pod& pod) { pod.unschedulable = message; });
    f.Pass(Planner::kBacklogAge);
    EXPECT_THAT(f.Plan(), IsEmpty()) << message;
    EXPECT_EQ(f.StateOf("1"), State::kNoNode) << message;
  }
}

TEST(Evictions, NodesThatThePodCouldNotUseAfterwardsAreLeftOut) {
  const std::function<void(model::NodeState&)> faults[] = {
      [](model::NodeState& state) { state.quarantined = true; },
      [](model::NodeState& state) { state.node.unschedulable = true; },
      [](model::NodeState& state) {
        state.node.taints = {{"full", "", "NoSchedule"}};
      },
      [](model::NodeState& state) { state.node.allocatable.Set(kGpu, 0); },
  };
  for (const auto& fault : faults) {
    Fixture f = FullNodes();
    fault(f.Node("b"));
    f.RefuseSampled("1", 1, 10);
    EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  }
}

TEST(Evictions, SoAreNodesThatArePromised) {
  Fixture f = FullNodes();
  f.Wait("other");
  f.Nominate("other", "b");
  f.RefuseSampled("1", 1, 10);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  f.RefuseSampled("2", 1, 10);
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(Evictions, OnlySoManyNominationsStand) {
  Fixture f;
  for (std::size_t i = 0; i < 2 * Planner::kMaxEvictions; ++i) {
    const std::string name = std::to_string(100 + i);
    f.nodes.push_back(RoomyNode(name));
    f.Run(name, 8, 1);
    f.RefuseSampled(name, 1, 10);
  }
  for (std::size_t i = 0; i < 2 * Planner::kMaxEvictions; ++i) {
    EXPECT_LE(f.Plan().size(), Planner::kSearches);
  }
  EXPECT_EQ(NumberOf(f, State::kEviction), Planner::kMaxEvictions);
  EXPECT_EQ(f.StateOf("100"), State::kEviction);
  f.Nominate("100", "");
  EXPECT_THAT(f.Plan(), ElementsAre("116 100"));
}

TEST(Evictions, EveryShapeOfPodsGetsItsTurn) {
  Fixture f = FullNodes();
  for (int devices = 9; devices < 14; ++devices) {
    f.RefuseSampled(std::to_string(devices), devices, 20);
  }
  f.RefuseSampled("1", 1, 10);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(Planner::kSeekAgain);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(Planner::kSeekAgain);
  EXPECT_THAT(f.Plan(), ElementsAre("1 b"));
}

TEST(Evictions, VictimsThatCameLaterAreSeenSoon) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  const model::Pod important = f.Run("a", 8, 20);
  f.RefuseSampled("1", 1, 10);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.ShowEnded(important, "a");
  f.Run("a", 8, 1);
  f.Pass(Planner::kSeekAgain);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
}

TEST(Eviction, IsWithdrawnInTimeThenAnotherNodeComesFirst) {
  Fixture f = AwaitingEviction();
  f.Pass(WaitingPod::kUnanswered - milliseconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(milliseconds(1));
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kWithdrawn));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kBackingOff);
  f.Pass(WaitingPod::kBackoff);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  f.Pass(WaitingPod::kUnanswered);
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
  f.Pass(2 * WaitingPod::kBackoff - milliseconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(Eviction, IsWithdrawnWhenItIsVetoed) {
  Fixture f = AwaitingEviction();
  f.Edit("1", [](model::Pod& pod) {
    pod.unschedulable += " preemption: no candidate node for preemption";
  });
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
}

TEST(Eviction, IsKubeSchedulersOwnOnceItEvictsPods) {
  Fixture f = AwaitingEviction();
  f.Edit("1", [](model::Pod& pod) { pod.unschedulable = kEvicts; });
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kEvicted));
  f.Pass(std::chrono::hours(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNominatedByOther);
  f.Restart();
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(Eviction, MayTakePlaceElsewhere) {
  Fixture f = AwaitingEviction();
  f.Edit("1", [](model::Pod& pod) {
    pod.unschedulable = kEvicts;
    pod.nominated_node = "a";
  });
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kSuperseded));
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(Eviction, ThatKubeSchedulerClearsIsLeftAlone) {
  Fixture f = AwaitingEviction();
  f.Nominate("1", "");
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kCleared));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kBackingOff);
}

TEST(Eviction, BecomesAPromiseWhenItsNodeFitsAsItIs) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  const model::Pod victim = f.Run("a", 8, 1);
  f.RefuseSampled("1", 8, 10);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  f.ShowEnded(victim, "a");
  f.Refuse("2");
  f.Pass(WaitingPod::kUnanswered - milliseconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNominated);
  EXPECT_EQ(f.StateOf("2"), State::kNoNode);
  f.Pass(std::chrono::minutes(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(Eviction, MakesWayForAnotherNodeThatFits) {
  Fixture f = AwaitingEviction();
  f.nodes.push_back(RoomyNode("c"));
  f.Pass(Planner::kLookAgain);
  EXPECT_THAT(f.Plan(), ElementsAre("1 c"));
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kReplaced));
  EXPECT_EQ(f.StateOf("1"), State::kNominated);
}

TEST(Eviction, IsWithdrawnWhenItsNodeBreaks) {
  Fixture f = AwaitingEviction();
  f.Node("b").quarantined = true;
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kWithdrawn));
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
}

// kube-scheduler does not count it for pods of higher priority, and counts it for all others.
TEST(Eviction, TakesNoRoomFromThePodsAhead) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.Run("a", 4, 1);
  const model::Pod victim = f.Run("a", 4, 1);
  f.RefuseSampled("1", 8, 10);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  f.ShowEnded(victim, "a");
  f.Refuse("behind", 4);
  f.Pass(Planner::kLookAgain);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.RefuseSampled("ahead", 4, 20);
  f.Pass(Planner::kLookAgain);
  EXPECT_THAT(f.Plan(), ElementsAre("ahead a"));
  EXPECT_EQ(f.StateOf("ahead"), State::kNominated);
  // Now evictions would not help the first one any more.
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
}

// The next controller does not know what it was for.
TEST(Eviction, OfAnEarlierControllerIsWithdrawnAndMadeAgain) {
  Fixture f = AwaitingEviction();
  f.Restart();
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
  EXPECT_THAT(f.Plan(), ElementsAre("1 b"));
}

TEST(NamesReason, IsTrueOfBerthsReasonsOnly) {
  const auto& reasons = Engine()->reasons();
  EXPECT_TRUE(NamesReason(RefusedSample(), reasons));
  EXPECT_FALSE(NamesReason(kRefused, reasons));
  EXPECT_FALSE(NamesReason("", reasons));
}

}  // namespace
}  // namespace berth::planner
