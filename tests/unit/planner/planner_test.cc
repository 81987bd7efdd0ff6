#include "planner/planner.h"

#include "tests/unit/planner/fixture.h"

namespace berth::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST(Backlog, ThePodsBehindTheHeadAreNominatedInTheOrderOfTheQueue) {
  Fixture f(2);
  f.nodes = {RoomyNode("a")};
  for (const char* name : {"1", "2", "3", "4"}) f.Wait(name);
  f.Edit("4", [](model::Pod& pod) { pod.priority = 7; });
  f.Wait("5");
  f.Pass(Planner::kBacklogAge);
  EXPECT_THAT(f.Plan(), ElementsAre("2 a", "3 a", "5 a"));
  EXPECT_EQ(f.StateOf("4"), State::kHead);
  EXPECT_EQ(f.StateOf("1"), State::kHead);
  EXPECT_EQ(f.StateOf("2"), State::kNominated);
}

TEST(Backlog, EqualPodsComeByName) {
  Fixture f(1);
  f.nodes = {RoomyNode("a")};
  for (const char* name : {"c", "b", "a"}) {
    f.Wait(name);
    f.Edit(name, [](model::Pod& pod) { pod.created = kNow; });
  }
  f.Pass(Planner::kBacklogAge);
  EXPECT_THAT(f.Plan(), ElementsAre("b a", "c a"));
}

TEST(Backlog, NominatedPodsAheadCountForTheHead) {
  Fixture f(2);
  f.nodes = {RoomyNode("a")};
  for (const char* name : {"1", "2", "3", "4"}) f.Wait(name);
  f.Pass(Planner::kBacklogAge);
  EXPECT_THAT(f.Plan(), ElementsAre("3 a", "4 a"));
  f.Leave("1");
  f.Leave("2");
  f.Wait("5");
  f.Pass(Planner::kBacklogAge);
  EXPECT_THAT(f.Plan(), ElementsAre("5 a"));
}

TEST(Backlog, PodsThatAreNotPlannedCountForTheHead) {
  Fixture f(1);
  f.nodes = {RoomyNode("a")};
  f.Wait("cpu");
  f.Edit("cpu", [](model::Pod& pod) { pod.requests = {}; });
  f.Wait("gpu");
  f.Pass(Planner::kBacklogAge);
  EXPECT_THAT(f.Plan(), ElementsAre("gpu a"));
}

TEST(Backlog, PodsThatNobodySchedulesDoNotCountForTheHead) {
  Fixture f(1);
  f.nodes = {RoomyNode("a")};
  for (const char* name : {"gated", "refused", "foreign", "gpu"}) f.Wait(name, 1);
  f.Edit("gated", [](model::Pod& pod) { pod.gated = true; });
  f.Edit("refused", [](model::Pod& pod) { pod.unschedulable = kRefused; });
  f.Edit("foreign", [](model::Pod& pod) { pod.scheduler = "default-scheduler"; });
  f.Pass(Planner::kBacklogAge);
  EXPECT_THAT(f.Plan(), ElementsAre("refused a"));
  EXPECT_EQ(f.StateOf("gpu"), State::kHead);
}

TEST(Backlog, APodWaitsAMomentBeforeItIsPlanned) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.Wait("1");
  f.Pass(Planner::kBacklogAge - std::chrono::milliseconds(1));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kQueued);
  f.Pass(std::chrono::milliseconds(1));
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
}

TEST(Backlog, OnlySoManyNominationsStandButRefusedPodsAreRescued) {
  Fixture f;
  f.nodes = {RoomyNode("a", 2000)};
  f.nodes[0].node.allocatable.Set("pods", 2000);
  for (std::size_t i = 0; i < Planner::kMaxStanding + 5; ++i) f.Wait(std::to_string(10'000 + i));
  f.Refuse("refused");
  f.Pass(Planner::kBacklogAge);
  EXPECT_THAT(f.Plan(), SizeIs(Planner::kMaxStanding + 1));
  EXPECT_EQ(f.StateOf("refused"), State::kNominated);
  EXPECT_EQ(f.planner->states()[static_cast<std::size_t>(State::kQueued)], 5U);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Leave("10000");
  EXPECT_THAT(f.Plan(), ElementsAre("10512 a"));
}

TEST(Backlog, OnlySoManyStepsAreTakenAtOnceButRefusedPodsAreRescued) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  for (const char* name : {"1", "2", "3"}) f.Wait(name);
  f.Refuse("refused");
  f.Pass(Planner::kBacklogAge);
  EXPECT_THAT(f.Plan(2), ElementsAre("1 a", "2 a", "refused a"));
  EXPECT_EQ(f.StateOf("3"), State::kQueued);
  EXPECT_THAT(f.Plan(2), ElementsAre("3 a"));
}

TEST(Backlog, TheHeadGetsTheNodesThatTheExtenderWouldChoose) {
  Fixture f(1);
  f.nodes = {RoomyNode("a", 4), RoomyNode("b", 4)};
  f.Wait("1", 4);
  f.Wait("2", 4);
  f.Pass(Planner::kBacklogAge);
  EXPECT_THAT(f.Plan(), ElementsAre("2 b"));
}

TEST(Rescue, ARefusedPodIsNominatedAtOnce) {
  Fixture f(10);
  f.nodes = {RoomyNode("full"), RoomyNode("a")};
  f.Node("full").used.Set(kGpu, 8);
  const model::Pod& pod = f.Refuse("1", 8);
  const std::vector<Step> steps = f.PlanOnly();
  EXPECT_THAT(steps, ElementsAre(Step{.namespace_ = "team",
                                      .name = "1",
                                      .uid = "uid-1",
                                      .node = "a",
                                      .created = pod.created,
                                      .refused = true}));
}

TEST(Rescue, ANodeThatBecomesFreeIsSeenSoon) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.nodes[0].used.Set(kGpu, 8);
  f.Refuse("1");
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kNoNode);
  f.nodes[0].used.Set(kGpu, 7);
  f.Pass(Planner::kLookAgain);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
}

TEST(Promise, NothingIsPromisedTwice) {
  Fixture f;
  f.nodes = {RoomyNode("a", 8)};
  for (int i = 1; i <= 9; ++i) f.Refuse(std::to_string(i));
  EXPECT_THAT(f.Plan(), SizeIs(8));
  EXPECT_EQ(f.StateOf("9"), State::kNoNode);
  f.Pass(Planner::kLookAgain);
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(Promise, EveryResourceCounts) {
  Fixture f;
  f.nodes = {RoomyNode("a"), RoomyNode("b"), RoomyNode("c")};
  f.Node("a").node.allocatable.Set("cpu", 999);
  f.Node("b").node.allocatable.Set("pods", 1);
  f.Node("c").node.unschedulable = true;
  f.Refuse("1").requests.Set("cpu", 1000);
  f.Put(f.pods.at("1"));
  f.Refuse("2").requests.Set("cpu", 1000);
  f.Put(f.pods.at("2"));
  EXPECT_THAT(f.Plan(), ElementsAre("1 b"));
}

TEST(Promise, NominationsOfOthersCountWhoeverTheyAreFor) {
  const std::function<void(model::Pod&)> kinds[] = {
      [](model::Pod&) {},
      [](model::Pod& pod) { pod.gated = true; },
      [](model::Pod& pod) { pod.scheduler = "default-scheduler"; },
      [](model::Pod& pod) { pod.priority = -5; },
      [](model::Pod& pod) {
        pod.annotations = {{kPlan, "b"}};
      },
  };
  for (const auto& change : kinds) {
    Fixture f;
    f.nodes = {RoomyNode("a")};
    f.Wait("other", 8);
    f.Edit("other", change);
    f.Nominate("other", "a");
    f.Refuse("1");
    f.Pass(Planner::kBacklogAge);
    EXPECT_THAT(f.Plan(), IsEmpty());
    EXPECT_EQ(f.StateOf("1"), State::kNoNode);
  }
}

TEST(Promise, StaysWhileABetterNodeIsThere) {
  Fixture f;
  f.nodes = {RoomyNode("a"), RoomyNode("b")};
  f.Refuse("1");
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  f.Node("b").used.Set(kGpu, 7);  // the best one by packing
  f.Pass(std::chrono::minutes(10));
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Refuse("2");
  EXPECT_THAT(f.Plan(), ElementsAre("2 b"));
}

TEST(Promise, HoldsForAPodThatIsBoundUntilTheViewShowsIt) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  const model::Pod pod = f.Refuse("1", 8);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  f.Leave("1");
  f.Refuse("2");
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.ShowBound(pod, "a");
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kBound));
  f.Node("a").used.Set(kGpu, 0);  // it has ended
  f.Pass(Planner::kLookAgain);
  EXPECT_THAT(f.Plan(), ElementsAre("2 a"));
}

TEST(Promise, ANodeThatABoundPodIsKnownToHaveIsTaken) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  model::Pod pod = f.Refuse("1", 8);
  pod.node_name = "a";
  f.planner->Upsert(pod, f.now);
  f.pods.erase("1");
  f.Refuse("2");
  EXPECT_THAT(f.Plan(), IsEmpty());
}

TEST(Promise, ABoundPodIsNotCountedTwice) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  const model::Pod pod = f.Refuse("1", 4);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  f.ShowBound(pod, "a");  // before it leaves the list of waiting pods
  f.Refuse("2", 4);
  EXPECT_THAT(f.Plan(), ElementsAre("2 a"));
}

TEST(Promise, EndsSomeTimeAfterThePodIsGone) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.Refuse("1", 8);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  f.Leave("1");
  f.Refuse("2");
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Pass(Planner::kLeaving);
  EXPECT_THAT(f.Plan(), ElementsAre("2 a"));
  EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kGone));
}

TEST(Promise, IsReplacedOrWithdrawnWhenTheNodeIsNotFitAnyMore) {
  const std::function<void(model::NodeState&)> faults[] = {
      [](model::NodeState& state) { state.quarantined = true; },
      [](model::NodeState& state) { state.node.unschedulable = true; },
      [](model::NodeState& state) {
        state.node.taints = {{"full", "", "NoSchedule"}};
      },
      [](model::NodeState& state) { state.used.Set(kGpu, 8); },
      [](model::NodeState& state) { state.node.allocatable.Set(kGpu, 0); },
      [](model::NodeState& state) { state = RoomyNode("another", 0); },
  };
  for (const auto& fault : faults) {
    Fixture f;
    f.nodes = {RoomyNode("a"), RoomyNode("b")};
    f.Refuse("1");
    EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
    fault(f.nodes[0]);
    // Another node fits, and after that none.
    EXPECT_THAT(f.Plan(), ElementsAre("1 b"));
    f.Node("b").node.unschedulable = true;
    f.nodes[0].node.unschedulable = true;
    EXPECT_THAT(f.Plan(), ElementsAre("1 "));
    EXPECT_THAT(f.Outcomes(), ElementsAre(Outcome::kReplaced, Outcome::kWithdrawn));
    EXPECT_THAT(f.Plan(), IsEmpty());
    EXPECT_EQ(f.StateOf("1"), State::kNoNode);
  }
}

TEST(Promise, OfAnotherPodDoesNotMakeWayForOneWhoseNodeBroke) {
  Fixture f;
  f.nodes = {RoomyNode("a", 4), RoomyNode("b", 4)};
  f.Refuse("1", 4);
  f.Refuse("2", 4);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a", "2 b"));
  f.Node("a").quarantined = true;
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
}

TEST(Promise, TheFirstInTheQueueKeepsANodeThatHasBecomeTooSmall) {
  Fixture f;
  f.nodes = {RoomyNode("a", 2)};
  f.Refuse("1");
  f.Refuse("2");
  f.Edit("2", [](model::Pod& pod) { pod.priority = 1; });
  EXPECT_THAT(f.Plan(), ElementsAre("2 a", "1 a"));
  f.Node("a").used.Set(kGpu, 1);
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
}

TEST(Promise, IsWithdrawnFromAPodThatSomebodyDeletes) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.Refuse("1");
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  f.Edit("1", [](model::Pod& pod) { pod.deleted = kNow; });  // and a finalizer keeps it
  EXPECT_THAT(f.Plan(), ElementsAre("1 "));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("1"), State::kDeleted);
}

TEST(Waiting, OnlyPodsOfThePlanAreNominated) {
  const struct {
    State state;
    std::function<void(model::Pod&)> change;
  } cases[] = {
      {State::kGated, [](model::Pod& pod) { pod.gated = true; }},
      {State::kDeleted, [](model::Pod& pod) { pod.deleted = kNow; }},
      {State::kOtherScheduler, [](model::Pod& pod) { pod.scheduler = "default-scheduler"; }},
      {State::kNoAccelerator, [](model::Pod& pod) { pod.requests = {}; }},
      {State::kNominatedByOther, [](model::Pod& pod) { pod.nominated_node = "a"; }},
      {State::kLeftToScan, [](model::Pod& pod) { pod.scored.claims = true; }},
  };
  for (const auto& [state, change] : cases) {
    Fixture f;
    f.nodes = {RoomyNode("a")};
    f.Wait("1");
    f.Edit("1", change);
    f.Edit("1", [](model::Pod& pod) { pod.unschedulable = kRefused; });
    f.Pass(Planner::kBacklogAge);
    EXPECT_THAT(f.Plan(), IsEmpty());
    EXPECT_EQ(f.StateOf("1"), state) << NameOf(f.StateOf("1"));
    EXPECT_EQ(f.planner->states()[static_cast<std::size_t>(state)], 1U);
  }
}

TEST(Waiting, PodsThatAreLeftToTheScanAreCountedByReason) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  for (const char* name : {"1", "2", "3"}) f.Refuse(name);
  f.Edit("1", [](model::Pod& pod) { pod.scored.pod_affinity = true; });
  f.Edit("2", [](model::Pod& pod) { pod.attached_volumes = true; });
  f.Edit("3", [](model::Pod& pod) { pod.scored.pod_affinity = true; });
  EXPECT_THAT(f.Plan(), IsEmpty());
  using policies::fit::Unknown;
  EXPECT_THAT(f.planner->left_to_scan(),
              UnorderedElementsAre(Pair(Unknown::kPodAffinity, 2), Pair(Unknown::kVolumes, 1)));
  EXPECT_EQ(f.planner->Find("team", "2")->unknown, Unknown::kVolumes);
  EXPECT_EQ(f.planner->Find("team", "4"), std::nullopt);
}

TEST(Waiting, AGateThatIsTakenOffMakesThePodOneOfTheQueue) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  f.Wait("1");
  f.Edit("1", [](model::Pod& pod) { pod.gated = true; });
  f.Pass(Planner::kBacklogAge);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Edit("1", [](model::Pod& pod) { pod.gated = false; });
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
}

TEST(Waiting, AnotherPodOfTheNameBeginsAnew) {
  Fixture f;
  f.nodes = {RoomyNode("a")};
  model::Pod pod = f.Refuse("1", 5);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
  pod.uid = "another";
  f.Put(pod);
  EXPECT_THAT(f.Plan(), IsEmpty());  // the former one may just have been bound
  EXPECT_EQ(f.StateOf("1"), State::kNoNode);
  f.Pass(Planner::kLeaving);
  EXPECT_THAT(f.Plan(), ElementsAre("1 a"));
}

TEST(Waiting, EqualClustersGetEqualPlans) {
  Fixture f;
  Fixture g;
  for (Fixture* each : {&f, &g}) {
    for (int i = 0; i < 7; ++i) each->nodes.push_back(RoomyNode(std::to_string(i), 3 + i));
  }
  for (int i = 0; i < 20; ++i) f.Refuse(std::to_string(i), 1 + i % 3);
  for (auto each = f.pods.rbegin(); each != f.pods.rend(); ++each) g.Put(each->second);
  EXPECT_EQ(f.PlanOnly(), g.PlanOnly());
}

}  // namespace
}  // namespace berth::planner
