// What becomes of gangs that fail: they rest, and others come first.

#include <chrono>

#include "planner/gangs.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Two nodes, and a gang that was evicted because its second pod was never bound. Its pods are
/// there again.
class Evicted : public GangFixture {
 public:
  Evicted() {
    for (const char* name : {"a", "b"}) AddNode(name, 8);
    Fail("train");
  }
  void Fail(const std::string& gang) {
    ReleaseAll(gang, 2, 8);
    Bind(gang + "-0");
    Pass(seconds(config.gangs.timeout));
    EXPECT_THAT(Names(PlanOnly()), ElementsAre(gang + " evicted"));
    End(gang + "-0");
    Leave(gang + "-1");
    PlanOnly();
    Pass(seconds(10));
    WaitAll(gang, 2, 8);
  }
};

TEST(GangRests, AfterItWasEvicted) {
  Evicted f;
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kWaiting);
  EXPECT_EQ(f.ReasonOf("train"),
            "rests until 2027-01-15T08:00:30Z, because it ran without all its pods for 5m and was "
            "evicted");
  f.Pass(GangRests::kFirst - seconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(seconds(1));
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b"));
}

TEST(GangRests, TellsItsUsersWhy) {
  Evicted f;
  f.Plan();
  f.Pass(Gangs::kSayAfter);
  f.Plan();
  ASSERT_THAT(f.said, SizeIs(2));
  EXPECT_THAT(f.said[1], HasSubstr("rests until"));
}

TEST(GangRests, LongerAfterEachEviction) {
  Evicted f;
  f.Plan();
  f.Pass(GangRests::kFirst);
  f.Plan();
  f.Plan();
  f.Bind("train-0");
  f.Pass(seconds(f.config.gangs.timeout));
  f.Plan();
  f.End("train-0");
  f.Leave("train-1");
  f.WaitAll("train", 2, 8);
  f.Plan();
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("2 times so far"));
  f.Pass(2 * GangRests::kFirst - seconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(seconds(1));
  EXPECT_THAT(f.Plan(), SizeIs(2));
}

TEST(GangRests, WhileOthersThatWaitComeFirst) {
  Evicted f;
  f.Plan();
  f.WaitAll("later", 2, 8);
  EXPECT_THAT(f.Plan(), ElementsAre("later-0 a", "later-1 b"));
  f.Plan();
  f.BindAll("later");
  f.Pass(GangRests::kFirst);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("0 of 2 pods fit at once"));
}

TEST(GangRests, NoMoreAfterItHasRunWhole) {
  Evicted f;
  f.Plan();
  f.Pass(GangRests::kFirst);
  f.Plan();
  f.Plan();
  f.BindAll("train");
  f.Plan();
  f.EndAll("train");
  f.Fail("train");
  f.Plan();
  EXPECT_THAT(f.ReasonOf("train"), Not(HasSubstr("times so far")));
}

// A pod of an Indexed Job that has succeeded is not there any more.
TEST(GangRests, NoMoreAfterAllHaveRunThatWereLeft) {
  GangFixture f;
  for (const char* name : {"a", "b", "c"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 3, 8);
  f.Bind("train-0");
  f.Bind("train-1");
  f.Pass(seconds(f.config.gangs.timeout));
  ASSERT_THAT(f.Names(f.PlanOnly()), ElementsAre("train evicted"));
  f.EndAll("train");
  f.Leave("train-2");
  f.PlanOnly();
  f.Pass(seconds(10));
  for (const std::size_t rank : {1U, 2U}) f.WaitInGang("train", rank, 3, 8);
  f.Plan();
  f.Pass(Gangs::kSayAfter);
  const Step asks = f.PlanOnly().back();
  ASSERT_EQ(asks.kind, StepKind::kCount);
  f.planner->OnSucceeded(asks, {{"train", 1}});
  f.Plan();
  f.Pass(GangRests::kFirst);
  f.Plan();
  ASSERT_THAT(f.Plan(), SizeIs(2));
  f.BindAll("train");
  f.Plan();
  f.EndAll("train");
  f.ReleaseAll("train", 3, 8);
  f.Bind("train-0");
  f.Pass(seconds(f.config.gangs.timeout));
  ASSERT_THAT(f.Names(f.PlanOnly()), ElementsAre("train evicted"));
  f.EndAll("train");
  for (const char* name : {"train-1", "train-2"}) f.Leave(name);
  f.PlanOnly();
  f.Pass(seconds(10));
  f.WaitAll("train", 3, 8);
  f.Plan();
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("rests until"));
  EXPECT_THAT(f.ReasonOf("train"), Not(HasSubstr("times so far")));
}

TEST(GangRests, WhenANominationIsRefusedForEver) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 4);
  const auto refuse = [&f] {
    for (const Step& step : f.PlanOnly()) {
      if (step.kind == StepKind::kNominate && step.name == "train-1" && !step.node.empty()) {
        f.planner->Failed(step, "admission webhook denied the request");
      } else {
        f.Write(step);
      }
    }
  };
  for (seconds passed{0}; passed < f.config.gangs.timeout; passed += seconds(5)) {
    refuse();
    f.Pass(seconds(5));
  }
  ASSERT_FALSE(f.HoldsNothing("train"));
  refuse();
  EXPECT_TRUE(f.HoldsNothing("train"));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kWaiting);
  EXPECT_THAT(f.ReasonOf("train"),
              HasSubstr("because its nodes were reserved for 5m and it could not be released: no "
                        "node could be nominated for its pod train-1: admission webhook denied"));
  // Others get what it held.
  f.WaitAll("later", 2, 4);
  EXPECT_THAT(f.Plan(), ElementsAre("later-0 a", "later-1 a"));
}

TEST(GangRests, WhenItsGatesCannotBeTakenAway) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 4);
  for (seconds passed{0}; passed <= f.config.gangs.timeout; passed += seconds(5)) {
    for (const Step& step : f.PlanOnly()) {
      step.kind == StepKind::kUngate ? f.planner->Failed(step, "forbidden") : f.Write(step);
    }
    f.Pass(seconds(5));
  }
  f.Plan();
  EXPECT_TRUE(f.HoldsNothing("train"));
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("could not be taken away: forbidden"));
}

TEST(GangRests, WhenSomebodyClearsItsNominationsForEver) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 4);
  for (seconds passed{0}; passed <= f.config.gangs.timeout; passed += seconds(5)) {
    f.Plan();
    if (!f.pods.at("train-1").nominated_node.empty()) f.Nominate("train-1", "");
    f.Pass(seconds(5));
  }
  f.Plan();
  EXPECT_TRUE(f.HoldsNothing("train"));
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("its nominations do not last"));
}

TEST(GangEviction, IsLeftOutWhereAPodWouldNeverComeAgain) {
  GangFixture f;
  for (const char* name : {"a", "b", "c"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 3, 8);
  f.Bind("train-0");
  f.Leave("train-2");
  f.Pass(seconds(f.config.gangs.timeout));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("1 are missing: it is not evicted"));
}

// As while the API server is away.
TEST(GangEviction, IsForNoTimeInWhichNobodyLed) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 2, 8);
  f.Bind("train-0");
  f.Plan();
  f.Pass(seconds(f.config.gangs.timeout));
  f.planner->Skip();
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(seconds(f.config.gangs.timeout));
  EXPECT_THAT(f.Plan(), ElementsAre("train evicted"));
}

// Another controller has planned it meanwhile, and perhaps another gang of that name has come.
TEST(GangRests, AreForgottenByOneWhoNoLongerLeads) {
  Evicted f;
  f.planner->Skip();
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b"));
}

TEST(GangUngating, CountsTheTimeSinceTheControllerLeads) {
  GangFixture f;
  f.config.gangs.ungate_after = model::Duration{600};
  f.Restart();
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.Pass(seconds(599));
  f.planner->Skip();
  f.Pass(seconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(GangEviction, KnowsPodsThatHaveSucceeded) {
  GangFixture f;
  for (const char* name : {"a", "b", "c"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 3, 8);
  f.Bind("train-0");
  f.Leave("train-2");
  f.Pass(seconds(f.config.gangs.timeout));
  const Step asks = f.PlanOnly().back();
  ASSERT_EQ(asks.kind, StepKind::kCount);
  EXPECT_TRUE(f.planner->IsWanted(asks));
  f.planner->OnSucceeded(asks, {{"train", 1}});
  EXPECT_THAT(f.Plan(), ElementsAre("train evicted"));
}

TEST(GangEviction, ThatIsRefusedIsToldAndTriedAgain) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 2, 8);
  f.Bind("train-0");
  f.Pass(seconds(f.config.gangs.timeout));
  f.planner->Failed(f.PlanOnly().back(), "pod train-0: its budget does not allow it");
  f.Plan();
  EXPECT_EQ(f.ReasonOf("train"),
            "1 of 2 pods are not bound yet, and it could not be evicted: pod train-0: its budget "
            "does not allow it");
  f.Pass(EvictionAttempts::kAgain);
  EXPECT_THAT(f.Plan(), ElementsAre("train evicted"));
}

}  // namespace
}  // namespace berth::planner
