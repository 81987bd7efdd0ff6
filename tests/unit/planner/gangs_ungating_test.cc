#include <chrono>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The new one may not know of the nomination.
TEST(GangUngating, OfAReplacementWaitsUntilANewKubeSchedulerKnowsIt) {
  GangFixture f;
  f.facts.lease = "one/1";
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.RunAll("train", 2, 8);
  f.End("train-1");
  f.WaitInGang("train", 1, 2, 8);
  f.Pass(Gangs::kReplacement);
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 b"));
  f.facts.lease = "two/2";
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 b"));
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 ungated"));
}

// A new kube-scheduler may lead by now, which knows no nominations.
TEST(GangUngating, WaitsWhileNobodyKnowsWhichKubeSchedulerLeads) {
  GangFixture f;
  f.facts.lease = "one/1";
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.WaitAll("train", 2, 8);
  f.facts.is_lease_certain = false;
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b"));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kPlanned);
  f.facts.is_lease_certain = true;
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
}

// Autoscalers start no nodes for pods that have gates.
TEST(GangUngating, ThatHasNotFittedForLongIsReleasedIfThatIsWanted) {
  GangFixture f;
  f.config.gangs.ungate_after = model::Duration{600};
  f.Restart();
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.Pass(std::chrono::seconds(599));
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(std::chrono::seconds(1));
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
  f.Plan();
  f.AddNode("b", 8);
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("a", "b"));
}

/// A gang that has just been released without nodes, and the steps that take its gates away.
class UnplannedFixture : public GangFixture {
 public:
  UnplannedFixture() {
    config.gangs.ungate_after = model::Duration{600};
    Restart();
    AddNode("a", 8);
    WaitAll("train", 2, 8);
    Plan();
    Pass(std::chrono::seconds(600));
    steps = PlanOnly();
    std::erase_if(steps, [](const Step& step) { return step.kind != StepKind::kUngate; });
    EXPECT_THAT(Names(steps), ElementsAre("train-0 ungated", "train-1 ungated"));
  }
  void Fail(const Step& step) { planner->Failed(step, "etcdserver: request timed out"); }
  std::vector<Step> steps;
};

TEST(GangUngating, WithoutNodesIsTriedAgainForAPodThatItHasNotReached) {
  UnplannedFixture f;
  f.Fail(f.steps[0]);
  f.Write(f.steps[1]);
  f.Pass(Gangs::kReplacement);
  EXPECT_THAT(f.Plan(), Contains("train-0 ungated"));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
}

TEST(GangUngating, WithoutNodesIsTriedAgainSoonIfItHasReachedNobody) {
  UnplannedFixture f;
  for (const Step& step : f.steps) f.Fail(step);
  f.Pass(Gangs::kReleaseAgain - std::chrono::seconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("could not be taken away: etcdserver"));
  f.Pass(std::chrono::seconds(1));
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
}

TEST(GangUngating, WaitsForEverOtherwise) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.Pass(std::chrono::hours(1000));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kWaiting);
}

}  // namespace
}  // namespace berth::planner
