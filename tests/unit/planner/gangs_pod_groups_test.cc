// Gangs whose pods wait for a PodGroup instead of behind a gate.

#include <cstdint>
#include <vector>

#include "planner/gangs.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using std::chrono::seconds;
using ::testing::_;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kGroup[] = "berth-train";
constexpr char kKey[] = "team/berth-train";

class GroupFixture : public GangFixture {
 public:
  GroupFixture() {
    config.gangs.pod_groups = true;
    facts.pod_groups = &groups;
    Restart();
    for (const char* name : {"a", "b", "c"}) AddNode(name, 8);
  }
  /// Pods of the gang "train".
  void WaitForGroup(std::size_t rank, std::size_t size, std::int64_t devices) {
    WaitInGang("train", rank, size, devices);
    Edit("train-" + std::to_string(rank), [](model::Pod& pod) {
      pod.gates.clear();
      pod.gated = false;
      pod.scheduling_group = kGroup;
      pod.priority_class = "high";
    });
  }
  void WaitForGroupAll(std::size_t size, std::int64_t devices) {
    for (std::size_t rank = 0; rank < size; ++rank) WaitForGroup(rank, size, devices);
  }
  void BindTrain() {
    for (const std::string& name : NamesOf("train")) Bind(name);
  }
  /// kube-scheduler refuses the whole PodGroup.
  void RefuseTrain() {
    for (const std::string& name : NamesOf("train")) {
      Edit(name, [](model::Pod& pod) {
        pod.nominated_node.clear();
        pod.unschedulable = kRefused;
      });
    }
  }
};

TEST(GangPodGroups, AreCreatedWhenAllNominationsAreThere) {
  GroupFixture f;
  f.WaitForGroup(0, 2, 8);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kCollecting);
  EXPECT_EQ(f.StateOf("train-0"), State::kGated);
  f.WaitForGroup(1, 2, 8);
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b"));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kPlanned);
  const auto steps = f.PlanOnly();
  ASSERT_THAT(f.Names(steps), ElementsAre("berth-train created for 2"));
  EXPECT_EQ(steps[0].namespace_, "team");
  EXPECT_EQ(steps[0].text, "high");
  EXPECT_TRUE(f.planner->IsWanted(steps[0]));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
  // Nothing more while the echo is under way.
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(GangPodGroups, AreDeletedWhenNoPodWaitsAnyMore) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Plan();
  ASSERT_TRUE(f.groups.contains(kKey));
  f.Bind("train-0");
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Bind("train-1");
  const auto steps = f.PlanOnly();
  ASSERT_THAT(f.Names(steps), ElementsAre("berth-train deleted"));
  EXPECT_EQ(steps[0].uid, "uid-of-berth-train");
  EXPECT_TRUE(f.planner->IsWanted(steps[0]));
  EXPECT_THAT(f.PlanOnly(), IsEmpty());
  f.Write(steps[0]);
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(GangPodGroups, ThatCouldNotBeDeletedAreTriedAgain) {
  GroupFixture f;
  f.groups[kKey].uid = "uid";
  const auto steps = f.PlanOnly();
  ASSERT_THAT(f.Names(steps), ElementsAre("berth-train deleted"));
  f.planner->Failed(steps[0]);
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train deleted"));
}

TEST(GangPodGroups, ThatCouldNotBeCreatedAreTriedAgainSoon) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  const auto steps = f.PlanOnly();
  ASSERT_THAT(steps, SizeIs(1));
  f.planner->Failed(steps[0]);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kPlanned);
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("PodGroup"));
  f.Pass(WaitingPod::kRetry);
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 2"));
}

TEST(GangPodGroups, APodThatIsReplacedWaitsForOneOfItsOwn) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Plan();
  f.BindTrain();
  f.Plan();
  f.End("train-1");
  f.WaitForGroup(1, 2, 8);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(Gangs::kReplacement);
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 b"));
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 1"));
}

TEST(GangPodGroups, AGangThatStartsAnewIsPlannedAsAWhole) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Plan();
  f.BindTrain();
  f.Plan();
  f.EndAll("train");
  f.WaitForGroupAll(2, 8);
  EXPECT_THAT(f.Plan(), SizeIs(2));
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 2"));
}

// kube-scheduler places all pods of a PodGroup or none, so nothing is lost by waiting again.
TEST(GangPodGroups, AGangThatKubeSchedulerRefusesIsTakenBack) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Plan();
  f.RefuseTrain();
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train deleted"));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kWaiting);
  EXPECT_TRUE(f.HoldsNothing("train"));
  f.Pass(Gangs::kRefused);
  EXPECT_THAT(f.Plan(), SizeIs(2));
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 2"));
}

TEST(GangPodGroups, AGangThatKubeSchedulerRefusesForEverIsTriedLessAndLess) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  for (const int expected : {10, 20, 40}) {
    EXPECT_THAT(f.Plan(), SizeIs(2));
    EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 2"));
    f.RefuseTrain();
    EXPECT_THAT(f.Plan(), ElementsAre("berth-train deleted"));
    EXPECT_THAT(f.Plan(), IsEmpty());
    EXPECT_THAT(f.ReasonOf("train"), HasSubstr("because kube-scheduler refused it on the nodes"));
    f.Pass(seconds(expected) - seconds(1));
    EXPECT_THAT(f.Plan(), IsEmpty()) << expected;
    f.Pass(seconds(1));
  }
  f.Plan();
  f.Plan();
  f.BindTrain();
  f.Plan();
  f.EndAll("train");
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Plan();
  f.RefuseTrain();
  f.Plan();
  f.Plan();
  EXPECT_THAT(f.ReasonOf("train"), Not(HasSubstr("times so far"))) << "it has run since then";
}

// kube-scheduler lets the nomination stand of the pod that it could not place.
TEST(GangPodGroups, AGangOfWhichANominationStandsIsTakenBack) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Plan();
  f.Edit("train-0", [](model::Pod& pod) {
    pod.nominated_node.clear();
    pod.unschedulable = "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining";
  });
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Edit("train-1", [](model::Pod& pod) {
    pod.unschedulable = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.";
  });
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train deleted"));
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 "));
  EXPECT_TRUE(f.HoldsNothing("train"));
  f.Pass(Gangs::kRefused);
  EXPECT_THAT(f.Plan(), SizeIs(2));
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 2"));
  // In the same words as before.
  f.Edit("train-0", [](model::Pod& pod) { pod.nominated_node.clear(); });
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(WaitingPod::kUnanswered);
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train deleted"));
}

TEST(GangPodGroups, AGangForWhichPodsAreEvictedIsNotTakenBack) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Plan();
  for (const char* name : {"train-0", "train-1"}) {
    f.Edit(name, [](model::Pod& pod) {
      pod.unschedulable =
          "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining, pod group preemption: found "
          "a placement for podgroup, preempting 1 victims";
    });
  }
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
}

// An autoscaler is to see them.
TEST(GangPodGroups, AGangThatWasReleasedWithoutNodesIsNotTakenBack) {
  GroupFixture f;
  f.config.gangs.ungate_after = model::Duration{60};
  f.Restart();
  f.WaitForGroupAll(4, 8);
  f.Plan();
  f.Pass(seconds(60));
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 4"));
  f.RefuseTrain();
  EXPECT_THAT(f.Plan(), Each(Not(HasSubstr("deleted"))));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
}

TEST(GangPodGroups, GoWithTheGangWhenItIsEvicted) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Plan();
  f.Bind("train-0");
  f.Pass(seconds(f.config.gangs.timeout));
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train deleted", "train evicted"));
}

TEST(GangPodGroups, APodWhoseNodeBreaksBeforeTheReleaseMovesAndNothingIsCreated) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Node("b").quarantined = true;
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 c"));
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 2"));
}

TEST(GangPodGroups, AGangThatDoesNotFitHoldsNothing) {
  GroupFixture f;
  f.WaitForGroupAll(4, 8);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kWaiting);
  EXPECT_TRUE(f.HoldsNothing("train"));
}

TEST(GangPodGroups, AnotherControllerGoesOnWhereOneHasStopped) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Restart();
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 2"));
  f.Bind("train-0");
  f.Restart();
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
  f.Bind("train-1");
  f.Restart();
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train deleted"));
}

TEST(GangPodGroups, OneThatWasLeftClosedIsOpenedWhenTheGangHasItsNodes) {
  GroupFixture f;
  f.groups[kKey] = {.uid = "uid", .is_open = false};
  f.WaitForGroupAll(2, 8);
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b"));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kPlanned);
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 2"));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
}

TEST(GangPodGroups, OneThatIsClosedWhileItIsWrittenIsNotWrittenAgain) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  EXPECT_THAT(f.Names(f.PlanOnly()), ElementsAre("berth-train created for 2"));
  f.groups[kKey] = {.uid = "uid", .is_open = false};
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
  f.Pass(Gangs::kLost);
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 2"));
}

TEST(GangPodGroups, OneThatWasLeftClosedGoesWithItsPods) {
  GroupFixture f;
  f.groups[kKey] = {.uid = "uid", .is_open = false};
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train deleted"));
}

// As one that was let go by a controller which then was away while its pods ended, and while others
// of the same name came.
TEST(GangPodGroups, OneOfAFormerStartHasToGoFirst) {
  GroupFixture f;
  f.groups[kKey].uid = "uid-of-the-former";
  f.WaitForGroupAll(2, 8);
  const auto steps = f.PlanOnly();
  ASSERT_THAT(f.Names(steps), ElementsAre("berth-train deleted"));
  EXPECT_EQ(steps[0].uid, "uid-of-the-former");
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kCollecting);
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("earlier start"));
  EXPECT_THAT(f.PlanOnly(), IsEmpty()) << "the API server has not deleted it yet";
  f.Write(steps[0]);
  EXPECT_THAT(f.Plan(), ElementsAre("train-0 a", "train-1 b"));
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train created for 2"));
}

TEST(GangPodGroups, OfOthersAreNobodysBusiness) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  for (const char* name : {"train-0", "train-1"}) {
    f.Edit(name, [](model::Pod& pod) { pod.scheduling_group = "mine"; });
  }
  // As pods that were created without the gate.
  EXPECT_THAT(f.Plan(), SizeIs(2));
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(GangPodGroups, WaitWhileItIsNotKnownWhichThereAre) {
  GroupFixture f;
  f.facts.pod_groups = nullptr;
  f.facts.pod_groups_obstacle = "nobody answers";
  f.WaitForGroupAll(2, 8);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"),
              HasSubstr("waits for the PodGroup berth-train, and nobody answ"));
  f.config.gangs.pod_groups = false;
  f.Restart();
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("write planner.gangs.podGroups: true"));
}

TEST(GangPodGroups, OfOthersThatAreRefusedArePlannedAgain) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  for (const char* name : {"train-0", "train-1"}) {
    f.Edit(name, [](model::Pod& pod) { pod.scheduling_group = "mine"; });
  }
  f.Plan();
  f.RefuseTrain();
  f.Plan();
  f.Pass(seconds(60));
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), Each(AnyOf("a", "b")));
}

TEST(GangPodGroups, ThatAreNotKnownForOneRoundChangeNothing) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Plan();
  ASSERT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
  f.Pass(Gangs::kLost);
  f.facts.pod_groups = nullptr;
  f.facts.pod_groups_obstacle = "nobody answers";
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("a", "b"));
  f.facts.pod_groups = &f.groups;
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.BindTrain();
  EXPECT_THAT(f.Plan(), ElementsAre("berth-train deleted"));
}

TEST(GangPodGroups, ThatAreNotKnownKeepRoomForThePodsThatAreLeft) {
  GroupFixture f;
  f.config.gangs.max_share = 1;
  f.Restart();
  f.Node("c").quarantined = true;
  for (const char* node : {"a", "b"}) f.Run(node, 4, 0);
  // The first two share a node.
  f.WaitForGroup(0, 3, 2);
  f.WaitForGroup(1, 3, 6);
  f.WaitForGroup(2, 3, 8);
  f.Plan();
  ASSERT_THAT(f.KeptFor("train"), UnorderedElementsAre(Pair(_, 8), Pair(_, 8)));
  f.facts.pod_groups = nullptr;
  f.facts.pod_groups_obstacle = "nobody answers";
  f.Leave("train-0");
  f.Plan();
  EXPECT_THAT(f.KeptFor("train"), UnorderedElementsAre(Pair(_, 6), Pair(_, 8)));
}

TEST(GangPodGroups, ThatANewControllerDoesNotKnowAtFirstKeepTheirGangsNominated) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Plan();
  f.Restart();
  f.facts.pod_groups = nullptr;
  f.facts.pod_groups_obstacle = "nobody answers";
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("nobody answers"));
  f.facts.pod_groups = &f.groups;
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kReleased);
}

TEST(GangPodGroups, ThatAreNotKnownNowAndThenDoNotKeepAGangFromItsEviction) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.Plan();
  f.Bind("train-0");
  f.Plan();
  for (int i = 0; i < 9; ++i) {
    f.Pass(seconds(f.config.gangs.timeout) / 10);
    f.facts.pod_groups = nullptr;
    EXPECT_THAT(f.Plan(), IsEmpty());
    f.facts.pod_groups = &f.groups;
    EXPECT_THAT(f.Plan(), IsEmpty());
  }
  f.Pass(seconds(f.config.gangs.timeout) / 10);
  EXPECT_THAT(f.Plan(), Contains("train evicted"));
}

TEST(GangPodGroups, ThatAreNotKnownForLongFreeTheNodesOfAGangThatIsNotReleased) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Plan();
  f.facts.pod_groups = nullptr;
  f.facts.pod_groups_obstacle = "nobody answers";
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(seconds(f.config.gangs.timeout));
  f.Plan();
  EXPECT_TRUE(f.HoldsNothing("train"));
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kCollecting);
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("nobody answers"));
}

TEST(GangPodGroups, NeedPodsOfOnePriority) {
  GroupFixture f;
  f.WaitForGroupAll(2, 8);
  f.Edit("train-1", [](model::Pod& pod) { pod.priority = 7; });
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("train-0 and train-1 have different priorities"));
}

TEST(GangPodGroups, PodsBehindTheGateOfTheSameGangGoTogetherWithTheOthers) {
  GroupFixture f;
  f.WaitForGroup(0, 2, 8);
  f.WaitInGang("train", 1, 2, 8);
  f.Plan();
  EXPECT_THAT(f.Plan(), ElementsAre("train-1 ungated", "berth-train created for 1"));
}

}  // namespace
}  // namespace berth::planner
