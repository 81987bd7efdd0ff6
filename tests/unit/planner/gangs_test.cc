// How gangs come to be released.

#include "planner/gangs.h"

#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(Gang, IsNominatedWholeThenReleasedWhole) {
  GangFixture f;
  f.AddNode("a", 8);
  f.AddNode("b", 8);
  f.WaitAll("train", 2, 8);
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b"));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kPlanned);
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.BindAll("train");
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.planner->gangs().Find("team", "train"), std::nullopt);
  EXPECT_TRUE(f.planner->empty());
}

TEST(Gang, WithoutTheConfigurationNobodyTouchesIt) {
  GangFixture f;
  f.config.gangs.enabled = false;
  f.Restart();
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 1);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("train-0"), State::kGated);
  EXPECT_EQ(f.planner->gangs().Find("team", "train"), std::nullopt);
}

TEST(Gang, WaitsForAllItsPods) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitInGang("train", 0, 2, 1);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kCollecting);
  EXPECT_EQ(f.ReasonOf("train"), "1 of 2 pods are there");
  f.WaitInGang("train", 1, 2, 1);
  EXPECT_THAT(f.Plan(), SizeIs(2));
}

TEST(Gang, DoesNotWaitForPodsOfAnIndexedJobThatHaveSucceeded) {
  GangFixture f;
  f.AddNode("a", 8);
  for (const std::size_t rank : {1U, 2U}) f.WaitInGang("train", rank, 3, 4);
  EXPECT_THAT(f.PlanOnly(), IsEmpty());
  f.Pass(Gangs::kSayAfter);
  const auto steps = f.PlanOnly();
  ASSERT_FALSE(steps.empty());
  ASSERT_EQ(steps.back().kind, StepKind::kCount);
  EXPECT_EQ(steps.back().gang, "train");
  EXPECT_TRUE(f.planner->IsWanted(steps.back()));
  f.planner->OnSucceeded(steps.back(), {{"other", 1}});
  EXPECT_THAT(f.PlanOnly(), IsEmpty());
  f.planner->OnSucceeded(steps.back(), {{"train", 1}});
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 a", "train-2 a"));
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 ungated", "train-2 ungated"));
}

TEST(Gang, WaitsForAllPodsAnewWhenOneHasComeSinceTheyWereCounted) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitInGang("train", 1, 3, 1);
  f.PlanOnly();
  f.Pass(Gangs::kSayAfter);
  const Step asks = f.PlanOnly().back();
  f.planner->OnSucceeded(asks, {{"train", 2}});
  f.Pass(std::chrono::seconds(1));
  f.WaitInGang("train", 0, 3, 1);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.ReasonOf("train"), "2 of 3 pods are there");
}

TEST(Gang, WaitsForGatesOfOthers) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 1);
  f.Edit("train-1", [](model::Pod& pod) { pod.gates.emplace_back("kueue.x-k8s.io/admission"); });
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.ReasonOf("train"),
            "its pod train-1 has the scheduling gate kueue.x-k8s.io/admission");
  f.Edit("train-1", [](model::Pod& pod) { pod.gates = {kGate}; });
  EXPECT_THAT(f.Plan(), SizeIs(2));
}

TEST(Gang, WritesNothingWhileSomebodyElseHoldsItBack) {
  GangFixture f;
  f.WaitAll("train", 2, 1);
  f.Edit("train-1", [](model::Pod& pod) { pod.gates.emplace_back("kueue.x-k8s.io/admission"); });
  f.PlanOnly();
  f.Pass(Gangs::kSayAfter);
  EXPECT_THAT(f.PlanOnly(), IsEmpty());
}

TEST(Gang, SaysWhatKeepsItFromBeingPlanned) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("one", 2, 1);
  f.Edit("one-1", [](model::Pod& pod) { pod.scheduler = "default-scheduler"; });
  f.WaitAll("two", 2, 1);
  f.Edit("two-1", [](model::Pod& pod) {
    std::erase_if(pod.annotations,
                  [](const auto& each) { return each.first == "berth.dev/gang-size"; });
    pod.annotations.emplace_back("berth.dev/gang-size", "3");
    model::Normalize(pod.annotations);
  });
  f.WaitAll("three", 2, 1);
  f.Nominate("three-1", "a");
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("one"), HasSubstr("planner.schedulers"));
  EXPECT_THAT(f.ReasonOf("two"), HasSubstr("write equal annotations"));
  EXPECT_THAT(f.ReasonOf("three"), HasSubstr("somebody else has nominated a node"));
  EXPECT_EQ(f.pods.at("three-1").nominated_node, "a");
}

TEST(Gang, HoldsNothingWhileItDoesNotFit) {
  GangFixture f;
  f.AddNode("a", 8);
  f.AddNode("b", 8);
  const model::Pod other = f.Run("b", 1, 0);
  f.WaitAll("train", 2, 8);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kWaiting);
  EXPECT_EQ(f.ReasonOf("train"),
            "1 of 2 pods fit at once on nodes of one model (A30), and room is kept on 1 of 2 "
            "nodes of A30 (planner.gangs.maxShare)");
  f.ShowEnded(other, "b");
  EXPECT_THAT(f.Plan(), SizeIs(2));
}

TEST(Gang, SaysThatItCanNeverFit) {
  GangFixture f;
  f.AddNode("a", 8);
  f.AddNode("b", 4);
  f.WaitAll("train", 2, 8);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("would not fit even if nothing else ran there"));
}

TEST(Gang, TellsItsUsersWhyItWaits) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 8);
  f.Plan();
  EXPECT_THAT(f.said, IsEmpty());
  f.Pass(Gangs::kSayAfter);
  const auto steps = f.PlanOnly();
  ASSERT_THAT(steps, SizeIs(3));
  EXPECT_EQ(steps[0].kind, StepKind::kSay);
  EXPECT_EQ(steps[1].kind, StepKind::kSay);
  EXPECT_EQ(steps[1].name, "train-1");
  EXPECT_THAT(steps[1].text, StartsWith("gang train of 2: 1 of 2 pods fit at once"));
  EXPECT_TRUE(f.planner->IsWanted(steps[1]));
  EXPECT_EQ(steps[2].kind, StepKind::kReport);
  EXPECT_EQ(steps[2].name, "train-0");
  EXPECT_EQ(steps[2].text, steps[1].text);
  f.Pass(Gangs::kSayAgain);
  EXPECT_THAT(f.PlanOnly(), IsEmpty());
  // Of a new number only one pod tells.
  f.Run("a", 1, 0);
  const auto again = f.PlanOnly();
  ASSERT_THAT(again, SizeIs(2));
  EXPECT_EQ(again[0].name, "train-0");
}

TEST(Gang, TellsItsUsersNothingNewWhileWhatWasToldIsBeingWritten) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.Pass(Gangs::kSayAfter);
  f.facts.may_tell = false;
  EXPECT_THAT(f.PlanOnly(), IsEmpty());
  f.facts.may_tell = true;
  EXPECT_THAT(f.PlanOnly(), SizeIs(3));
}

TEST(Gang, WhatIsStillToBeToldIsOutOfDateOnceItIsReleased) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.Pass(Gangs::kSayAfter);
  const auto steps = f.PlanOnly();
  ASSERT_THAT(steps, SizeIs(3));
  f.AddNode("b", 8);
  f.Plan();
  EXPECT_TRUE(f.planner->IsWanted(steps[0]));
  f.Plan();
  EXPECT_THAT(f.said, ElementsAre("train-0: ", "train-1: "));
  EXPECT_FALSE(f.planner->IsWanted(steps[0]));
}

TEST(Gang, TellsItsUsersThatItWaitsNoLonger) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.Pass(Gangs::kSayAfter);
  f.Plan();
  ASSERT_THAT(f.said, SizeIs(2));
  f.AddNode("b", 8);
  f.Plan();
  f.Plan();
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
  ASSERT_THAT(f.said, SizeIs(4));
  EXPECT_EQ(f.said[3], "train-1: ");
}

TEST(Gang, TellsThatItWaitsNoLongerOfPodsThatAreBoundByThen) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.Pass(Gangs::kSayAfter);
  f.Plan();
  f.AddNode("b", 8);
  f.Plan();
  const auto steps = f.PlanOnly();
  ASSERT_THAT(steps, SizeIs(4));
  ASSERT_EQ(steps[2].kind, StepKind::kSay);
  for (int i = 0; i < 2; ++i) f.Write(steps[static_cast<std::size_t>(i)]);
  f.BindAll("train");
  EXPECT_TRUE(f.planner->IsWanted(steps[2]));
  f.Plan();
  EXPECT_TRUE(f.planner->IsWanted(steps[2]));
}

// Another controller has told them, and this one has only just begun to lead.
TEST(Gang, CorrectsWhatAnEarlierControllerHasTold) {
  for (const char* why : {"gang train of 2: 1 of 2 pods fit at once", ""}) {
    GangFixture f;
    f.AddNode("a", 8);
    f.WaitAll("train", 2, 4);
    f.Edit("train-1", [why](model::Pod& pod) { pod.why_gang_waits = why; });
    f.Plan();
    EXPECT_THAT(f.said, IsEmpty()) << "it is not released yet";
    EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
    EXPECT_THAT(f.said, ElementsAre("train-1: ")) << '"' << why << '"';
  }
}

TEST(Gang, CorrectsAgainWhatCouldNotBeWritten) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 1, 4);
  f.Edit("train-0", [](model::Pod& pod) { pod.why_gang_waits = "it waits"; });
  f.Plan();
  for (const Step& step : f.PlanOnly()) {
    step.kind == StepKind::kSay ? f.planner->Failed(step) : f.Write(step);
  }
  f.Plan();
  EXPECT_THAT(f.said, ElementsAre("train-0: "));
}

TEST(Gang, LeavesNoConditionOnAPodThatIsBoundLate) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 2, 8);
  f.Bind("train-0");
  f.Pass(Gangs::kSayAfter);
  const auto steps = f.PlanOnly();
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0].kind, StepKind::kReport);
  EXPECT_EQ(steps[0].text, "gang train of 2: 1 of 2 pods are not bound yet");
}

TEST(Gang, ThatLosesAPodBeforeItsReleaseGivesEverythingBack) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 4);
  EXPECT_THAT(f.Plan(), SizeIs(2));
  f.Leave("train-1");
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 "));
  EXPECT_TRUE(f.HoldsNothing("train"));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kCollecting);
}

TEST(Gang, MovesAPodWhoseNodeBreaksBeforeTheRelease) {
  GangFixture f;
  for (const char* name : {"a", "b", "c"}) f.AddNode(name, 8);
  f.WaitAll("train", 2, 8);
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b"));
  f.Node("b").quarantined = true;
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 c"));
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
}

TEST(Gang, GivesEverythingBackIfANodeBreaksAndNoneTakesItsPlace) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.Node("b").quarantined = true;
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ", "train-1 "));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kWaiting);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Node("b").quarantined = false;
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b"));
}

TEST(Gang, IsNotReleasedBeforeAllNominationsAreSeen) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 4);
  const auto steps = f.PlanOnly();
  ASSERT_THAT(steps, SizeIs(2));
  f.Write(steps[0]);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Write(steps[1]);
  EXPECT_THAT(f.Plan(), SizeIs(2));
}

TEST(Gang, ANominationThatCouldNotBeWrittenIsWrittenAgain) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 4);
  const auto steps = f.PlanOnly();
  ASSERT_THAT(steps, SizeIs(2));
  f.Write(steps[0]);
  f.planner->Failed(steps[1]);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(WaitingPod::kRetry);
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 a"));
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
}

TEST(Gang, AGateThatCouldNotBeTakenAwayIsTakenAgain) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 4);
  f.Plan();
  const auto steps = f.PlanOnly();
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_TRUE(f.planner->IsWanted(steps[1]));
  f.Write(steps[0]);
  f.planner->Failed(steps[1]);
  EXPECT_FALSE(f.planner->IsWanted(steps[1]));
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 ungated"));
}

TEST(Gang, IsNominatedAgainForAnotherKubeScheduler) {
  GangFixture f;
  f.facts.lease = "one/1";
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 4);
  EXPECT_THAT(f.Plan(), SizeIs(2));
  f.facts.lease = "two/2";
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 a"));
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
}

TEST(Gang, PodsWithoutTheGateAreNominatedWithTheOthers) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 4);
  f.Edit("train-0", [](model::Pod& pod) {
    pod.gates.clear();
    pod.gated = false;
  });
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 a"));
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 ungated"));
}

// A watch that has stalled shows at once what was nominated, withdrawn and nominated again.
TEST(Gang, KnowsItsNominationsWhenAWatchCatchesUp) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.WaitAll("train", 2, 8);
  for (const Step& step : f.PlanOnly()) f.Write(step);
  const auto planned = f.pods;
  for (const auto& [name, pod] : planned) {
    f.Edit(name, [](model::Pod& changed) {
      changed.nominated_node.clear();
      std::erase_if(changed.annotations, [](const auto& entry) { return entry.first == kPlan; });
    });
    f.Put(pod);
  }
  for (int i = 0; i < 5; ++i) {
    f.Plan();
    f.Pass(std::chrono::seconds(10));
  }
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
}

}  // namespace
}  // namespace berth::planner
