// What becomes of nominations that were written, or not.

#include "planner/planner.h"

#include "tests/unit/planner/fixture.h"

namespace berth::planner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two nodes, and a refused pod that is nominated to the first.
Fixture NominatedFixture() {
  Fixture f;
  f.nodes = {RoomyNode("a"), RoomyNode("b")};
  f.Refuse("1");
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  return f;
}

TEST(Cleared, ThePodIsLeftAloneThenAnotherNodeComesFirst) {
  Fixture f = NominatedFixture();
  f.Nominate("1", "");
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kCleared));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kBackingOff);
  EXPECT_EQ(f.planner->Find("team", "1")->failures, 1U);
  f.Pass(WaitingPod::kBackoff - milliseconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(milliseconds(1));
  EXPECT_THAT(f.Plan(), ElementsAre("1 b"));
}

TEST(Cleared, TheNodeIsNominatedAgainIfNoOtherFits) {
  Fixture f = NominatedFixture();
  f.Node("b").node.unschedulable = true;
  f.Nominate("1", "");
  f.Pass(WaitingPod::kBackoff);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
}

TEST(Cleared, TheTimeDoublesUpToALimit) {
  Fixture f = NominatedFixture();
  for (const int wait : {10, 20, 40, 80, 160, 300, 300}) {
    f.Nominate("1", "");
    f.Pass(seconds(wait) - milliseconds(1));
    EXPECT_THAT(f.Plan(), IsEmpty()) << wait;
    f.Pass(milliseconds(1));
    EXPECT_THAT(f.Plan(), testing::SizeIs(1)) << wait;
  }
}

TEST(Cleared, OtherPodsOfTheShapeAreNotLeftAlone) {
  Fixture f = NominatedFixture();
  f.Nominate("1", "");
  f.Refuse("2");
  EXPECT_THAT(f.Plan(), ElementsAre("2 a"));
}

TEST(TriedInVain, ANominationThatStandsNonethelessIsWithdrawn) {
  Fixture f = NominatedFixture();
  f.Edit("1", [](model::Pod& pod) {
    pod.unschedulable =
        "0/2 nodes are available: 2 Odd. preemption: not eligible due to "
        "preemptionPolicy=Never.";
  });
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kWithdrawn));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kBackingOff);
  f.Pass(WaitingPod::kBackoff);
  EXPECT_THAT(f.Plan(), ElementsAre("1 b"));
}

// Two nodes, and a pod that is nominated to the first, of which kube-scheduler has said so before.
Fixture NominatedAfter(const std::string& message, std::int32_t head = 0) {
  Fixture f(head);
  f.nodes = {RoomyNode("a"), RoomyNode("b")};
  f.Refuse("1");
  f.Edit("1", [&message](model::Pod& pod) { pod.unschedulable = message; });
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  return f;
}

constexpr char kNever[] =
    "0/2 nodes are available: 2 Odd. preemption: not eligible due to preemptionPolicy=Never.";

TEST(TriedInVain, ATryThatSaysTheSameIsNoticedByTheTime) {
  for (const char* message :
       {kNever, "0/2 nodes are available: 2 Odd. preemption: no candidate node for preemption"}) {
    Fixture f = NominatedAfter(message);
    f.Pass(WaitingPod::kUnanswered - milliseconds(1));
    EXPECT_THAT(f.Plan(), IsEmpty());
    f.Pass(milliseconds(1));
    EXPECT_THAT(f.Plan(), ElementsAre("1 "));
    EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kWithdrawn));
    f.Pass(WaitingPod::kBackoff);
    EXPECT_THAT(f.Plan(), ElementsAre("1 b"));
  }
}

TEST(TriedInVain, WhileKubeSchedulerHasOtherPodsToTryItMayTakeLonger) {
  Fixture f = NominatedAfter(kNever, 5);
  f.Wait("2");
  EXPECT_THAT(f.Plan(), IsEmpty());
  for (seconds time{1}; time < WaitingPod::kUnansweredIfBusy; ++time) {
    f.Pass(seconds(1));
    EXPECT_THAT(f.Plan(), IsEmpty()) << time.count();
  }
  f.Pass(seconds(1));
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
}

TEST(TriedInVain, ANominationThatKubeSchedulerWouldClearStandsAsLongAsItFits) {
  Fixture f = NominatedAfter(kRefused);
  f.Pass(std::chrono::minutes(10));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNominated);
}

TEST(TriedInVain, SoIsThatOfAPodThatWasNotRefusedBefore) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.Wait("1");
  f.Pass(Planner::kBacklogAge);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  f.Edit("1", [](model::Pod& pod) { pod.unschedulable = kRefused; });
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
}

TEST(TriedInVain, ATryThatBeganBeforeTheNominationDoesNotCount) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.Wait("1");
  f.Pass(Planner::kBacklogAge);
  const std::vector<Step> steps = f.PlanOnly();
  f.Edit("1", [](model::Pod& pod) { pod.unschedulable = kRefused; });
  f.Write(steps.at(0));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNominated);
}

TEST(TriedInVain, WhereKubeSchedulerPreemptsTheNominationIsItsOwn) {
  for (const char* message :
       {"0/2 nodes are available: 2 Insufficient nvidia.com/gpu.",
        "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. preemption: not eligible due to a "
        "terminating pod on the nominated node."}) {
    Fixture f = NominatedFixture();
    f.Edit("1", [&](model::Pod& pod) { pod.unschedulable = message; });
    EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kSuperseded));
    f.Node("a").used.Set(kGpu, 8);  // the victims
    EXPECT_THAT(f.Plan(), IsEmpty());
    EXPECT_EQ(f.StateOf("1"), State::kNominatedByOther);
    f.Restart();
    EXPECT_THAT(f.Plan(), IsEmpty());
    EXPECT_EQ(f.StateOf("1"), State::kNominatedByOther);
  }
}

TEST(Superseded, ANominationOfAnotherIsNeverChanged) {
  Fixture f = NominatedFixture();
  f.Nominate("1", "b");
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kSuperseded));
  f.Node("b").quarantined = true;
  f.Pass(std::chrono::hours(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.planner->Find("team", "1")->node, "b");
}

TEST(Superseded, OneOnTheNodeThatKubeSchedulerClearedBeforeIsAnothersToo) {
  Fixture f = NominatedFixture();
  f.Nominate("1", "");
  f.Nominate("1", "a");  // the annotation still names it
  f.Node("a").quarantined = true;
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNominatedByOther);
}

TEST(Written, ThePlanWaitsForTheWatchThenWritesAgain) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.Refuse("1");
  f.PlanOnly();
  f.Pass(WaitingPod::kLost - milliseconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(milliseconds(1));
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
}

TEST(Written, ItsNodeIsPromisedMeanwhile) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.Refuse("1", 8);
  f.PlanOnly();
  f.Refuse("2");
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(Written, AnOldObjectIsNotTakenForANewOne) {
  Fixture f = NominatedFixture();
  f.Node("a").quarantined = true;
  const std::vector<Step> steps = f.PlanOnly();
  EXPECT_THAT(Fixture::Names(steps), ElementsAre("1 b"));
  f.Edit("1", [](model::Pod& pod) { pod.labels = {{"any", "thing"}}; });  // still on a
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Write(steps.at(0));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kReplaced));
  EXPECT_EQ(f.planner->Find("team", "1")->node, "b");
}

TEST(Written, AWithdrawnNominationDoesNotCountAnyMore) {
  Fixture f;
  f.nodes = {RoomyNode("a", 8)};
  f.Refuse("1", 4);
  f.Refuse("2", 4);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a", "2 a"));
  f.Node("a").used.Set(kGpu, 4);
  EXPECT_THAT(Fixture::Names(f.PlanOnly()), ElementsAre("2 "));
  EXPECT_EQ(f.StateOf("2"), State::kWithdrawn);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNominated);
}

TEST(Failed, TheNodeIsFreeAtOnceAndThePodIsPlannedSoon) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.Refuse("1", 8);
  f.planner->Failed(f.PlanOnly().at(0));
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Refuse("2", 8);
  EXPECT_THAT(f.PlanOnly(), testing::SizeIs(1));
  f.planner->Failed({.namespace_ = "team", .name = "2", .uid = "uid-2", .node = "a"});
  f.Pass(WaitingPod::kRetry);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
}

TEST(Failed, AWithdrawalIsTriedAgain) {
  Fixture f = NominatedFixture();
  f.Node("a").quarantined = true;
  f.Node("b").quarantined = true;
  const std::vector<Step> steps = f.PlanOnly();
  EXPECT_THAT(Fixture::Names(steps), ElementsAre("1 "));
  f.planner->Failed(steps.at(0));
  EXPECT_THAT(Fixture::Names(f.PlanOnly()), ElementsAre("1 "));
  // And it got lost.
  f.Pass(WaitingPod::kLost);
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(Failed, AWithdrawalAfterATryInVainIsTriedAgain) {
  Fixture f = NominatedFixture();
  f.Edit("1", [](model::Pod& pod) { pod.unschedulable = "Odd. preemption: no"; });
  f.planner->Failed(f.PlanOnly().at(0));
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
}

TEST(Failed, AReplacementLeavesTheFormerNominationToBeReplaced) {
  Fixture f = NominatedFixture();
  f.Node("a").quarantined = true;
  f.planner->Failed(f.PlanOnly().at(0));
  f.Pass(WaitingPod::kRetry);
  EXPECT_THAT(f.Plan(), ElementsAre("1 b"));
}

TEST(Failed, AStepThatIsOutOfDateHasNoEffect) {
  Fixture f;
  f.nodes = {RoomyNode("a"), RoomyNode("b")};
  f.Refuse("1");
  const std::vector<Step> first = f.PlanOnly();
  f.Node("a").quarantined = true;
  const std::vector<Step> second = f.PlanOnly();
  EXPECT_THAT(Fixture::Names(second), ElementsAre("1 b"));
  EXPECT_FALSE(f.planner->IsWanted(first.at(0)));
  EXPECT_TRUE(f.planner->IsWanted(second.at(0)));
  f.planner->Failed(first.at(0));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNominated);
  f.Write(second.at(0));
  EXPECT_FALSE(f.planner->IsWanted(second.at(0)));
}

TEST(Late, MorePodsAreLeftToKubeSchedulerUntilNominationsAreInTime) {
  Fixture f(1);
  f.nodes = {RoomyNode("a", 2000)};
  f.nodes[0].node.allocatable.Set("pods", 2000);
  for (int i = 0; i < 40; ++i) f.Wait(std::to_string(100 + i));
  f.Pass(Planner::kBacklogAge);
  const std::vector<Step> steps = f.PlanOnly();
  EXPECT_THAT(steps, testing::SizeIs(39));
  // kube-scheduler has taken the first one meanwhile.
  f.planner->Late(steps.at(0));
  f.Pass(WaitingPod::kRetry);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf(steps.at(0).name), State::kHead);
  for (std::size_t i = 1; i <= Planner::kLateLead; ++i) f.Write(steps.at(i));
  EXPECT_THAT(f.Plan(), ElementsAre(steps.at(0).name + " a"));
}

TEST(Failed, StepsOfUnknownPodsHaveNoEffect) {
  Fixture f = NominatedFixture();
  f.planner->Failed({.namespace_ = "team", .name = "1", .uid = "another", .node = "a"});
  f.planner->Failed({.namespace_ = "team", .name = "2", .uid = "uid-2", .node = "a"});
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNominated);
}

}  // namespace
}  // namespace berth::planner
