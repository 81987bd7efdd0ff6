// How gangs that are released come to run, and what ends them.

#include "planner/gangs.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(GangReleased, ThatStandsIsReleasedByAnotherController) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 4);
  f.Plan();
  f.Restart();
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
}

TEST(GangReleased, ThatIsHalfReleasedIsReleasedByAnotherController) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 3, 2);
  f.Plan();
  const auto steps = f.PlanOnly();
  ASSERT_THAT(steps, SizeIs(3));
  f.Write(steps[0]);
  f.Bind("train-0");
  f.Restart();
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 ungated", "train-2 ungated"));
}

TEST(GangReleased, APodThatKubeSchedulerDidNotTakeIsPlannedAgain) {
  GangFixture f;
  for (const char* name : {"a", "b", "c"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 2, 8);
  f.Bind("train-0");
  f.Edit("train-1", [](model::Pod& pod) {
    pod.nominated_node.clear();
    pod.unschedulable = kRefused;
  });
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(WaitingPod::kBackoff);
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 c"));
}

TEST(GangReleased, AReleasedPodWhoseNodeBreaksIsPlannedAgainOnTheSameModel) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.nodes.push_back(policies::scheduling::GpuNode("other", "NVIDIA-A100-SXM4-40GB", 8));
  f.nodes.back().node.allocatable.Set("pods", 110);
  f.ReleaseAll("train", 2, 8);
  ASSERT_THAT(f.NodesOf("train"), ElementsAre("a", "b"));
  f.Bind("train-0");
  f.Node("b").quarantined = true;
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 "));
  f.AddNode("c", 8);
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 c"));
}

TEST(GangReleased, IsEvictedIfItLacksPodsForTooLong) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 2, 8);
  f.Bind("train-0");
  f.Node("b").quarantined = true;
  f.Plan();
  f.Pass(seconds(f.config.gangs.timeout) - seconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(seconds(1));
  const auto steps = f.PlanOnly();
  EXPECT_THAT(f.Names(steps), ElementsAre("train evicted"));
  EXPECT_EQ(steps.back().namespace_, "team");
  EXPECT_TRUE(f.planner->IsWanted(steps.back()));
  EXPECT_THAT(f.Names(f.PlanOnly()), IsEmpty());
}

// It is not known to a controller that begins to lead since when the gang lacks pods; they tell it.
class GangReleasedBefore : public testing::Test {
 protected:
  GangReleasedBefore() {
    for (const char* name : {"a", "b"}) f.AddNode(name, 8);
    f.ReleaseAll("train", 2, 8);
    f.Bind("train-0");
    f.Node("b").quarantined = true;
    f.Plan();
    f.facts.bound = [this](const std::string&) { return bound; };
    f.Edit("train-1", [](model::Pod& pod) { pod.created = kNow - std::chrono::hours(2); });
  }
  // The other pod was bound that long before the youngest pod was created that waits.
  void BindBefore(seconds span) {
    f.Wait("other", 0);
    f.Edit("other", [](model::Pod& pod) { pod.created = kNow; });
    bound = {kNow - span};
  }
  void PutBehindTheGate() {
    f.Edit("train-1", [](model::Pod& pod) {
      pod.gates = {kGate};
      pod.gated = true;
      pod.nominated_node.clear();
    });
  }
  // A controller begins to lead, and evicts the gang after so long.
  void ExpectEvictedAfter(seconds span) {
    f.Restart();
    f.Plan();
    f.Pass(span - seconds(1));
    EXPECT_THAT(f.Names(f.PlanOnly()), IsEmpty());
    f.Pass(seconds(1));
    EXPECT_THAT(f.Names(f.PlanOnly()), ElementsAre("train evicted"));
  }

  GangFixture f;
  std::vector<model::Time> bound = {};
  const seconds timeout{f.config.gangs.timeout};
};

TEST_F(GangReleasedBefore, LacksPodsSinceTheFirstWasBound) {
  BindBefore(seconds(100));
  ExpectEvictedAfter(timeout - seconds(100));
}

TEST_F(GangReleasedBefore, LacksPodsSinceTheFirstWasBoundOfSeveral) {
  BindBefore(seconds(100));
  bound = {kNow - seconds(10), kNow - seconds(100), kNow - seconds(50)};
  ExpectEvictedAfter(timeout - seconds(100));
}

// What runs beside it may be left of a former start, however long this one has waited.
TEST_F(GangReleasedBefore, LacksNothingSinceAPodWasBoundThatIsOlder) {
  BindBefore(std::chrono::hours(3));
  bound.push_back(kNow - seconds(60));
  ExpectEvictedAfter(timeout - seconds(60));
}

TEST_F(GangReleasedBefore, LacksAPodThatWasMadeAnewSinceThen) {
  BindBefore(seconds(100));
  f.Edit("train-1", [this](model::Pod& pod) { pod.created = kNow - seconds(40); });
  ExpectEvictedAfter(timeout - seconds(40));
}

TEST_F(GangReleasedBefore, DoesNotLackWhatItNeedsNot) {
  BindBefore(seconds(200));
  // More pods than its size says wait for long; it lacks one of them since another has ended.
  f.WaitInGang("train", 2, 2, 8);
  f.Edit("train-2", [this](model::Pod& pod) { pod.created = kNow - seconds(50); });
  ExpectEvictedAfter(timeout - seconds(50));
}

// A pod more than its size says has waited for long, and the one that has ended is made anew now.
TEST_F(GangReleasedBefore, HasAllItsTimeIfAPodIsMadeAnewMeanwhile) {
  BindBefore(std::chrono::minutes(30));
  f.Restart();
  f.Plan();
  f.Pass(seconds(2));
  f.WaitInGang("train", 2, 2, 8);
  f.Edit("train-2", [](model::Pod& pod) { pod.created = kNow; });
  f.Plan();
  f.Pass(timeout - seconds(3));
  EXPECT_THAT(f.Names(f.PlanOnly()), IsEmpty());
  f.Pass(seconds(1));
  EXPECT_THAT(f.Names(f.PlanOnly()), ElementsAre("train evicted"));
}

TEST_F(GangReleasedBefore, HasAChanceHoweverLongThatIs) {
  BindBefore(std::chrono::minutes(30));
  ExpectEvictedAfter(Gangs::kChance);
}

TEST_F(GangReleasedBefore, HasALongerOneIfAPodIsBehindTheGate) {
  BindBefore(std::chrono::minutes(30));
  PutBehindTheGate();
  ExpectEvictedAfter(Gangs::kChanceBehindGate);
}

TEST_F(GangReleasedBefore, MayGoOnWithAPodBehindTheGate) {
  BindBefore(std::chrono::minutes(30));
  f.AddNode("c", 8);
  PutBehindTheGate();
  f.Restart();
  f.Plan();
  f.Pass(Gangs::kReplacement + seconds(1));
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 c"));
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 ungated"));
  // It is to be bound now.
  f.Pass(Gangs::kChanceBehindGate - Gangs::kReplacement - seconds(2));
  EXPECT_THAT(f.Names(f.PlanOnly()), IsEmpty());
  f.Pass(seconds(1));
  EXPECT_THAT(f.Names(f.PlanOnly()), ElementsAre("train evicted"));
}

// Until then no pod is let go.
TEST_F(GangReleasedBefore, HasItsChanceOnceItIsKnownWhoLeads) {
  BindBefore(std::chrono::minutes(30));
  f.Restart();
  f.facts.is_lease_certain = false;
  f.Plan();
  f.Pass(seconds(25));
  f.Plan();
  f.facts.is_lease_certain = true;
  f.Pass(Gangs::kChance - seconds(1));
  EXPECT_THAT(f.Names(f.PlanOnly()), IsEmpty());
  f.Pass(seconds(1));
  EXPECT_THAT(f.Names(f.PlanOnly()), ElementsAre("train evicted"));
}

TEST_F(GangReleasedBefore, HasAllItsTimeIfNothingIsKnown) {
  BindBefore(std::chrono::minutes(30));
  bound.clear();
  ExpectEvictedAfter(timeout);
}

TEST_F(GangReleasedBefore, HasAllItsTimeIfTheyAreOfTheFuture) {
  BindBefore(seconds(100));
  bound = {model::Time(std::chrono::seconds(253'402'300'799))};
  ExpectEvictedAfter(timeout);
}

TEST(GangReleased, IsEvictedAgainSoonIfThatFails) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 2, 8);
  f.Bind("train-0");
  f.Pass(seconds(f.config.gangs.timeout));
  const auto steps = f.PlanOnly();
  ASSERT_FALSE(steps.empty());
  ASSERT_EQ(steps.back().kind, StepKind::kEvict);
  f.planner->Failed(steps.back());
  f.Pass(EvictionAttempts::kAgain - seconds(1));
  EXPECT_THAT(f.Names(f.PlanOnly()), IsEmpty());
  f.Pass(seconds(1));
  EXPECT_THAT(f.Names(f.PlanOnly()), ElementsAre("train evicted"));
}

// Of the many requests that an eviction takes, one may be lost.
TEST(GangReleased, IsEvictedAgainSoonerIfTheApiServerDoesNotAnswer) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 2, 8);
  f.Bind("train-0");
  f.Pass(seconds(f.config.gangs.timeout));
  const auto expect_after = [&f](Failure failure, seconds pause) {
    const auto steps = f.PlanOnly();
    ASSERT_THAT(f.Names(steps), ElementsAre("train evicted"));
    f.planner->Failed(steps.back(), "it is away", failure);
    f.Pass(pause - seconds(1));
    EXPECT_THAT(f.Names(f.PlanOnly()), IsEmpty()) << pause.count() << " s";
    f.Pass(seconds(1));
  };
  for (const int pause : {5, 10, 20, 30, 30}) expect_after(Failure::kNoAnswer, seconds(pause));
  expect_after(Failure::kBudget, seconds(30));
  expect_after(Failure::kNoAnswer, seconds(5));
  EXPECT_THAT(f.Names(f.PlanOnly()), ElementsAre("train evicted"));
}

TEST(GangReleased, IsNotToBeEvictedAnyMoreOnceAsManyRunAsItsSizeSays) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 2, 8);
  f.Bind("train-0");
  f.Pass(seconds(f.config.gangs.timeout));
  const Step evicts = f.PlanOnly().back();
  ASSERT_EQ(evicts.kind, StepKind::kEvict);
  f.Bind("train-1");
  f.WaitInGang("train", 2, 2, 8);
  f.Plan();
  EXPECT_FALSE(f.planner->IsWanted(evicts));
}

// As of a RayCluster to which somebody adds a worker, for which there is no node.
TEST(GangReleased, IsNotEvictedForAPodMoreThanItsSizeSays) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.RunAll("train", 2, 8);
  f.WaitInGang("train", 2, 2, 8);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(f.Plan(), IsEmpty());
    f.Pass(seconds(f.config.gangs.timeout));
  }
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("as many run as its size says"));
  f.AddNode("c", 8);
  EXPECT_THAT(f.Plan(), ElementsAre("train-2 c"));
}

TEST(GangReleased, HasTheWholeTimeoutWhenAPodEndsWhileOneMoreThanItsSizeWaits) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.RunAll("train", 2, 8);
  f.WaitInGang("train", 2, 2, 8);
  f.Plan();
  f.Pass(2 * seconds(f.config.gangs.timeout));
  f.Plan();
  f.End("train-1");
  f.Node("b").quarantined = true;
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(seconds(f.config.gangs.timeout) - seconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(seconds(1));
  EXPECT_THAT(f.Plan(), ElementsAre("train evicted"));
}

TEST(GangReleased, StartsAnewAsAWholeHoweverLongTheEvictionTakes) {
  GangFixture f;
  for (const char* name : {"a", "b", "c", "d"}) f.AddNode(name, 8);
  f.ReleaseAll("train", 3, 8);
  f.BindAll("train");
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_THAT(f.Plan(), IsEmpty()) << rank;
    const std::string name = "train-" + std::to_string(rank);
    f.End(name);
    f.WaitInGang("train", rank, 3, 8);
    f.Pass(Gangs::kReplacement - seconds(1));
  }
  EXPECT_THAT(f.Plan(), SizeIs(3));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kPlanned);
}

TEST(GangReleased, PodsBehindTheGateHoldNothingWhileTheyDoNotAllFitBesideWhatRuns) {
  GangFixture f;
  for (const char* name : {"a", "b", "c"}) f.AddNode(name, 8);
  f.WaitAll("train", 3, 8);
  // Somebody has taken a gate away, and kube-scheduler has placed that pod.
  f.Edit("train-0", [](model::Pod& pod) {
    pod.gates.clear();
    pod.gated = false;
    pod.nominated_node = "a";
  });
  f.Bind("train-0");
  const model::Pod other = f.Run("b", 8, 0);
  f.Pass(Gangs::kReplacement);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_TRUE(f.HoldsNothing("train"));
  f.ShowEnded(other, "b");
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 b", "train-2 c"));
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 ungated", "train-2 ungated"));
}

TEST(GangReleased, StartsAnewAsAWholeAfterItWasEvicted) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.RunAll("train", 2, 8);
  f.EndAll("train");
  f.WaitInGang("train", 0, 2, 8);
  f.Pass(Gangs::kReplacement);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.WaitInGang("train", 1, 2, 8);
  EXPECT_THAT(f.Plan(), SizeIs(2));
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
}

// Neither the write that should have taken a gate away nor the eviction has reached its pod.
TEST(GangReleased, StartsAnewAsAWholeThoughAPodIsLeftOfTheFormerStart) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.WaitAll("train", 2, 8);
  f.Plan();
  f.Write(f.PlanOnly().front());
  f.Bind("train-0");
  f.Node("b").quarantined = true;
  f.Pass(Gangs::kLost);
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 "));
  f.EndAll("train");
  f.Node("b").quarantined = false;
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.ReasonOf("train"), "1 of 2 pods are there");
  f.WaitInGang("train", 0, 2, 8);
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b"));
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 ungated", "train-1 ungated"));
}

TEST(GangReleased, ThatRunsGetsAReplacementOfAPod) {
  GangFixture f;
  for (const char* name : {"a", "b", "c"}) f.AddNode(name, 8);
  f.RunAll("train", 2, 8);
  f.End("train-1");
  f.WaitInGang("train", 1, 2, 8);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(Gangs::kReplacement);
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 b"));
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 ungated"));
  EXPECT_THAT(f.said, IsEmpty()) << "it has waited for nothing but that";
}

/// A gang of which two pods were replaced, and there is no node for these.
class Incomplete : public GangFixture {
 public:
  Incomplete() {
    for (const char* name : {"a", "b", "c"}) AddNode(name, 8);
    RunAll("train", 3, 8);
    for (const char* name : {"train-1", "train-2"}) End(name);
    for (const char* name : {"b", "c"}) Node(name).quarantined = true;
    for (const std::size_t rank : {1U, 2U}) WaitInGang("train", rank, 3, 8);
    Plan();
    Pass(Gangs::kSayAfter);
    Plan();
  }
};

TEST(GangReleased, SaysOfPodsBehindTheGateWhyTheyWait) {
  Incomplete f;
  EXPECT_THAT(f.said, ElementsAre("train-1: gang train of 3: 2 of 3 pods are not bound yet",
                                  "train-2: gang train of 3: 2 of 3 pods are not bound yet"));
  f.said.clear();
  for (const char* name : {"b", "c"}) f.Node(name).quarantined = false;
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 b", "train-2 c"));
  EXPECT_THAT(f.said, IsEmpty());
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 ungated", "train-2 ungated"));
  EXPECT_THAT(f.said, ElementsAre("train-1: ", "train-2: "));
}

TEST(GangReleased, SaysTheSameOfAPodThatComesLater) {
  Incomplete f;
  f.Leave("train-2");
  f.WaitInGang("train", 2, 3, 8);
  f.said.clear();
  f.Pass(Gangs::kSayAgain);
  const auto steps = f.PlanOnly();
  ASSERT_THAT(steps, SizeIs(1)) << "its event is there already";
  EXPECT_EQ(steps[0].kind, StepKind::kSay);
  EXPECT_EQ(steps[0].name, "train-2");
  EXPECT_EQ(steps[0].text, "gang train of 3: 2 of 3 pods are not bound yet");
}

TEST(GangReleased, IsLateForAsLongAsItLacksPodsHoweverOftenItIsEvicted) {
  Incomplete f;
  const seconds timeout(f.config.gangs.timeout);
  const auto incomplete = [&f] { return f.planner->gangs().LongestIncomplete(); };
  f.Pass(timeout - Gangs::kSayAfter - seconds(1));
  f.Plan();
  EXPECT_EQ(incomplete(), seconds(0));
  f.Pass(seconds(1));
  const Step evicts = f.PlanOnly().back();
  ASSERT_EQ(evicts.kind, StepKind::kEvict);
  f.planner->Failed(evicts, "pod train-0: its budget does not allow it");
  EXPECT_EQ(incomplete(), timeout);
  f.Pass(std::chrono::hours(24));
  f.Plan();
  EXPECT_EQ(incomplete(), timeout + std::chrono::hours(24));
  for (const char* name : {"b", "c"}) f.Node(name).quarantined = false;
  f.Plan();
  f.Plan();
  f.BindAll("train");
  f.Plan();
  EXPECT_EQ(incomplete(), seconds(0));
}

TEST(GangReleased, AReplacementComesNearTheOthers) {
  GangFixture f;
  f.AddNode("a", 8, "1", "east");
  for (const char* name : {"b", "c", "d"}) f.AddNode(name, 8, "2", "east");
  f.ReleaseAll("train", 2, 8);
  f.BindAll("train");
  f.End("train-1");
  f.WaitInGang("train", 1, 2, 8);
  f.Plan();
  f.Pass(Gangs::kReplacement);
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 c"));
}

// The third rack alone has room for both.
TEST(GangReleased, ReplacementsComeIntoTheDomainsThatTheGangHas) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8, "1", "east");
  for (const char* name : {"c", "d"}) f.AddNode(name, 8, "2", "east");
  f.ReleaseAll("train", 4, 8);
  f.BindAll("train");
  for (const char* name : {"e", "f"}) f.AddNode(name, 8, "3", "east");
  for (const char* name : {"train-1", "train-3"}) f.End(name);
  for (const std::size_t rank : {1, 3}) f.WaitInGang("train", rank, 4, 8);
  f.Plan();
  f.Pass(Gangs::kReplacement);
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 b", "train-3 d"));
}

// Where the domains that it has are full, the narrowest one around them is next.
TEST(GangReleased, AReplacementStaysInTheZone) {
  GangFixture f;
  f.AddNode("a", 8, "1", "west");
  for (const char* name : {"b", "c"}) f.AddNode(name, 8, "2", "east");
  for (const char* name : {"d", "e"}) f.AddNode(name, 8, "3", "east");
  f.ReleaseAll("train", 2, 8);
  f.BindAll("train");
  ASSERT_EQ(f.running.at("train-1").second, "c");
  f.End("train-1");
  f.Node("c").used.Set(kGpu, 8);
  f.WaitInGang("train", 1, 2, 8);
  f.Plan();
  f.Pass(Gangs::kReplacement);
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 d"));
}

}  // namespace
}  // namespace berth::planner
