#include "checks/plan.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/checks/fixture.h"
#include "tests/unit/heap_meter.h"

namespace berth::checks {
namespace {

using policies::scheduling::FixedView;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class PlanTest : public ::testing::Test {
 protected:
  Plan::Round Decide(const std::vector<model::NodeState>& nodes) {
    return plan_.Decide(FixedView(nodes), pods_, time_, now_);
  }

  // Passes over nodes that would not do, as long as it takes.
  std::optional<Order> NextOrder(const std::vector<model::NodeState>& nodes) {
    now_ += Plan::kPace;
    return Decide(nodes).order;
  }

  void Pass(std::chrono::seconds duration) {
    now_ += duration;
    time_ += duration;
  }

  // Begins checks as long as there is one to begin.
  std::set<std::string> BeginAll(const std::vector<model::NodeState>& nodes) {
    std::set<std::string> begun;
    while (const auto order = NextOrder(nodes)) {
      begun.insert(order->node);
      plan_.OnTried(order->check.name, order->node, now_);
      pods_.push_back(RunningOn(order->node));
    }
    return begun;
  }

  // The first order within so many rounds, where the good node stands behind others that would not
  // do.
  std::optional<Order> OrderBehind(int others, int rounds) {
    std::vector<model::NodeState> nodes;
    for (int i = 0; i < others; ++i) {
      nodes.push_back(IdleNode("gpu-" + std::to_string(i)));
      nodes.back().used.Set("cpu", 64'000);
    }
    nodes.push_back(IdleNode("gpu-good"));
    std::optional<Order> order;
    for (int round = 0; round < rounds && !order; ++round) order = NextOrder(nodes);
    return order;
  }

  Plan plan_{{VectorAdd()}, Engine(), kNames};
  std::vector<CheckPod> pods_;
  model::Time time_ = kNow;
  Plan::Clock::time_point now_{seconds(1000)};
};

TEST_F(PlanTest, ChecksANodeThatWasNeverChecked) {
  const auto order = NextOrder({IdleNode("gpu-1")});
  ASSERT_TRUE(order);
  EXPECT_EQ(order->node, "gpu-1");
  EXPECT_EQ(order->node_uid, "gpu-1-uid");
  EXPECT_EQ(order->resource, kGpu);
  EXPECT_EQ(order->devices, 8);
  EXPECT_FALSE(order->directly);
}

struct NodeCase {
  std::string name;
  std::function<void(model::NodeState&)> change;
};

class LeftAlone : public PlanTest, public ::testing::WithParamInterface<NodeCase> {};

TEST_P(LeftAlone, IsNotChecked) {
  model::NodeState node = IdleNode("gpu-1");
  GetParam().change(node);
  for (int round = 0; round < 30; ++round) {
    EXPECT_FALSE(NextOrder({node})) << round;
    Pass(seconds(1));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Nodes, LeftAlone,
    ::testing::Values(
        NodeCase{"OfWhichAPodUsesADevice", [](auto& node) { node.used.Set(kGpu, 1); }},
        NodeCase{"OfWhichAPodUsesASlice",
                 [](auto& node) { node.used.Set("nvidia.com/mig-1g.10gb", 1); }},
        NodeCase{"Cordoned", [](auto& node) { node.node.unschedulable = true; }},
        NodeCase{
            "NotReady",
            [](auto& node) { node.node.conditions[0].status = model::ConditionStatus::kUnknown; }},
        NodeCase{"Unreadable", [](auto& node) { node.quarantined = true; }},
        NodeCase{"WithoutDevices", [](auto& node) { node.node.allocatable.Set(kGpu, 0); }},
        NodeCase{"OfNoAccelerator",
                 [](auto& node) { node.accelerator = model::AcceleratorCatalog::kNone; }},
        NodeCase{"WithATaintThatTheCheckDoesNotTolerate",
                 [](auto& node) {
                   node.node.taints = {{"site/reserved", "", "NoSchedule"}};
                 }},
        NodeCase{"FullOfOtherPods", [](auto& node) { node.used.Set("cpu", 63'500); }},
        NodeCase{"ThatBerthRefusesForAnotherFault",
                 [](auto& node) {
                   node.node.conditions.push_back({.type = "GPUIsLost",
                                                   .status = model::ConditionStatus::kTrue,
                                                   .last_transition = kNow - hours(1)});
                 }},
        NodeCase{"ThatPassedADayAgoLessAMinute",
                 [](auto& node) { node = CheckedNode("gpu-1", false, hours(24) - minutes(1)); }},
        NodeCase{"ThatFailedNineMinutesAgo",
                 [](auto& node) { node = CheckedNode("gpu-1", true, minutes(9)); }}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_F(PlanTest, ToleratesTheTaintOfTheDevicesAndThoseOfItsConfiguration) {
  ActiveCheck check = VectorAdd();
  check.tolerates = {"site/reserved"};
  Plan plan({check}, Engine(), kNames);
  model::NodeState node = IdleNode("gpu-1");
  node.node.taints = {{"site/reserved", "x", "NoSchedule"},
                      {"nvidia.com/gpu", "present", "NoSchedule"}};
  EXPECT_TRUE(plan.Decide(FixedView({node}), {}, time_, now_).order);
}

TEST_F(PlanTest, ChecksTheNodeAgainThatPassedADayAgo) {
  const auto order = NextOrder({CheckedNode("gpu-1", false, hours(24))});
  ASSERT_TRUE(order);
  EXPECT_FALSE(order->directly);
}

// Berth refuses the node, so no kube-scheduler would place the pod that could take that back.
TEST_F(PlanTest, PutsTheCheckOntoANodeThatFailedWithoutKubeScheduler) {
  const auto order = NextOrder({CheckedNode("gpu-1", true, minutes(10))});
  ASSERT_TRUE(order);
  EXPECT_TRUE(order->directly);
}

// Elsewhere kube-scheduler may place other pods on the node at the same moment.
TEST_F(PlanTest, LeavesANodeThatBerthDoesNotRefuseToKubeScheduler) {
  ActiveCheck check = VectorAdd();
  check.condition = "NobodyCounts";
  Plan plan({check}, Engine(), kNames);
  model::NodeState node = CheckedNode("gpu-1", true, minutes(10));
  node.node.conditions[1].type = "NobodyCounts";
  const auto order = plan.Decide(FixedView({node}), {}, time_, now_).order;
  ASSERT_TRUE(order);
  EXPECT_FALSE(order->directly);
}

TEST_F(PlanTest, OfNodesThatWereNotTriedTheOneCheckedTheLongestAgoComesFirst) {
  const auto order =
      NextOrder({CheckedNode("gpu-1", false, hours(30)), CheckedNode("gpu-2", false, hours(50)),
                 CheckedNode("gpu-3", false, hours(40))});
  ASSERT_TRUE(order);
  EXPECT_EQ(order->node, "gpu-2");
}

TEST_F(PlanTest, ChecksAShareOfThePoolAtOnceButAlwaysOne) {
  std::vector<model::NodeState> nodes;
  for (int i = 0; i < 7; ++i) nodes.push_back(IdleNode("gpu-" + std::to_string(i)));
  EXPECT_THAT(BeginAll(nodes), SizeIs(3));
  pods_.clear();
  EXPECT_THAT(BeginAll({IdleNode("another")}), SizeIs(1));
}

TEST_F(PlanTest, BeginsOneCheckASecondAtMost) {
  const std::vector<model::NodeState> nodes = {IdleNode("gpu-1"), IdleNode("gpu-2")};
  ASSERT_TRUE(NextOrder(nodes));
  EXPECT_FALSE(Decide(nodes).order);
  now_ += Plan::kPace;
  EXPECT_TRUE(Decide(nodes).order);
}

TEST_F(PlanTest, ANodeOnWhichTheCheckToldNothingIsTriedAgainAfterAWhile) {
  const std::vector<model::NodeState> nodes = {IdleNode("gpu-1")};
  plan_.OnTried("vector-add", "gpu-1", now_);
  Pass(minutes(9));
  EXPECT_FALSE(NextOrder(nodes));
  Pass(minutes(1));
  EXPECT_TRUE(NextOrder(nodes));
}

// So many nodes that are due but would not do must not hide the one that would.
TEST_F(PlanTest, NodesThatWouldNotDoHoldUpNoOthers) {
  const auto order = OrderBehind(100, 10);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->node, "gpu-good");
}

// The first ones are due again before all others were judged.
TEST_F(PlanTest, NodesThatWouldNotDoHoldUpNoOthersHoweverManyTheyAre) {
  const auto order = OrderBehind(1000, 60);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->node, "gpu-good");
}

// On the first of them, a check never tells anything, as when its image cannot be pulled there.
TEST_F(PlanTest, ANodeOnWhichNoCheckEndsHoldsUpNoOthers) {
  ActiveCheck check = VectorAdd();
  check.retry_every = seconds(1);
  Plan plan({check}, Engine(), kNames);
  const std::vector<model::NodeState> nodes = {IdleNode("gpu-1"),
                                               CheckedNode("gpu-2", false, hours(30))};
  std::set<std::string> tried;
  for (int round = 0; round < 4; ++round) {
    now_ += Plan::kPace;
    const auto order = plan.Decide(FixedView(nodes), {}, time_, now_).order;
    ASSERT_TRUE(order);
    tried.insert(order->node);
    plan.OnTried(order->check.name, order->node, now_);
  }
  EXPECT_THAT(tried, SizeIs(2));
}

TEST_F(PlanTest, ANodeWhoseConditionIsSomebodyElsesIsLeftAloneForLong) {
  plan_.OnStoodBack("vector-add", "gpu-1", now_);
  Pass(hours(23));
  EXPECT_FALSE(NextOrder({IdleNode("gpu-1")}));
  Pass(hours(1));
  EXPECT_TRUE(NextOrder({IdleNode("gpu-1")}));
}

TEST_F(PlanTest, NoCheckBeginsWhereAPodWantsTheNode) {
  plan_.claimants().Upsert(WaitingPod("train"), now_);
  EXPECT_FALSE(NextOrder({IdleNode("gpu-1")}));
}

struct PodCase {
  std::string name;
  std::function<void(model::Pod&)> change;
};

class WantsNothing : public PlanTest, public ::testing::WithParamInterface<PodCase> {};

TEST_P(WantsNothing, TheCheckBegins) {
  model::Pod pod = WaitingPod("train");
  GetParam().change(pod);
  plan_.claimants().Upsert(pod, now_);
  EXPECT_TRUE(NextOrder({IdleNode("gpu-1")}));
}

INSTANTIATE_TEST_SUITE_P(
    Pods, WantsNothing,
    ::testing::Values(
        PodCase{"ThatIsBound", [](auto& pod) { pod.node_name = "gpu-9"; }},
        PodCase{"ThatAsksForNoDevices", [](auto& pod) { pod.requests = {}; }},
        PodCase{"ThatAsksForMoreThanTheNodeHas", [](auto& pod) { pod.requests.Set(kGpu, 9); }},
        PodCase{"OfAnotherModel",
                [](auto& pod) {
                  pod.annotations = {{"berth.dev/accelerators", "V100"}};
                }},
        PodCase{"ThatMayNotRunThere",
                [](auto& pod) {
                  pod.needs.selector = {{"site/rack", "7"}};
                }},
        PodCase{"ThatIsTooLargeToBeKept",
                [](auto& pod) { pod.tolerations.assign(95'000, {.op = "Exists"}); }},
        PodCase{"ThatIsNominatedElsewhere", [](auto& pod) { pod.nominated_node = "gpu-9"; }},
        PodCase{"ThatSomebodyElseHoldsBack",
                [](auto& pod) {
                  pod.gated = true;
                  pod.gates = {"berth.dev/gang", "kueue.x-k8s.io/admission"};
                }},
        PodCase{"OfACheck",
                [](auto& pod) {
                  pod.namespace_ = "berth-system";
                  pod.labels = {{"berth.dev/active-check", "vector-add"}};
                }}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_F(PlanTest, LittleIsKeptOfPodsThatWantNodes) {
  constexpr std::size_t kPods = 20;
  const std::size_t before = tests::LiveBytes();
  for (std::size_t i = 0; i < kPods; ++i) {
    model::Pod pod = WaitingPod("train-" + std::to_string(i));
    pod.affinity_terms.assign(20'000, {.namespaces = {"team"}, .labels = {}});
    for (std::size_t label = 0; label < 50'000; ++label) {
      pod.labels.emplace_back("example.com/" + std::to_string(100'000 + label), "");
    }
    plan_.claimants().Upsert(pod, now_);
  }
  // Nothing is metered under sanitizers.
  EXPECT_LT(tests::LiveBytes() - before, kPods * (32U << 10));
}

// It lacks something else, and would keep checks off every node that fits it.
TEST_F(PlanTest, APodThatHasWaitedForLongWithTheNodeIdleWantsItNoMore) {
  plan_.claimants().Upsert(WaitingPod("train"), now_);
  Pass(minutes(9));
  EXPECT_FALSE(NextOrder({IdleNode("gpu-1")}));
  Pass(minutes(1) + Plan::kLeftOut);
  EXPECT_TRUE(NextOrder({IdleNode("gpu-1")}));
}

TEST_F(PlanTest, AGangThatHasWaitedForLongStillWantsItsNodes) {
  model::Pod pod = WaitingPod("train");
  pod.gated = true;
  pod.gates = {"berth.dev/gang"};
  plan_.claimants().Upsert(pod, now_);
  Pass(hours(5));
  EXPECT_FALSE(NextOrder({IdleNode("gpu-1")}));
}

class YieldTest : public PlanTest {
 protected:
  YieldTest() { pods_ = {RunningOn("gpu-1"), RunningOn("gpu-2")}; }

  // "<node> for <pod>", or "<node>: <why>".
  std::vector<std::string> Endings() {
    std::vector<std::string> endings;
    for (const Plan::Ending& ending : Decide(Nodes()).endings) {
      const std::string& node = pods_[ending.pod].node;
      endings.push_back(ending.for_pod.empty() ? node + ": " + ending.why
                                               : node + " for " + ending.for_pod);
    }
    return endings;
  }

  static std::vector<model::NodeState> Nodes() {
    std::vector<model::NodeState> nodes = {IdleNode("gpu-1"), IdleNode("gpu-2")};
    for (model::NodeState& node : nodes) node.used.Set(kGpu, 8);
    return nodes;
  }
};

TEST_F(YieldTest, ACheckGoesWhenAPodWantsItsNode) {
  plan_.claimants().Upsert(WaitingPod("train", 8), now_);
  EXPECT_THAT(Endings(), IsEmpty());  // kube-scheduler may have another node for it
  now_ += milliseconds(300);
  EXPECT_THAT(Endings(), ElementsAre("gpu-1 for team/train"));
}

TEST_F(YieldTest, ItGoesAtOnceWhenKubeSchedulerHasFoundNoNode) {
  model::Pod pod = WaitingPod("train");
  pod.unschedulable = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";
  plan_.claimants().Upsert(pod, now_);
  EXPECT_THAT(Endings(), ElementsAre("gpu-1 for team/train"));
}

TEST_F(YieldTest, TheNodeIsTheOneThatThePodIsNominatedFor) {
  model::Pod pod = WaitingPod("train");
  pod.nominated_node = "gpu-2";
  plan_.claimants().Upsert(pod, now_);
  EXPECT_THAT(Endings(), ElementsAre("gpu-2 for team/train"));
}

TEST_F(YieldTest, OnePodTakesOneCheckAwayAndAnotherOnlyAfterAWhile) {
  plan_.claimants().Upsert(WaitingPod("train"), now_);
  now_ += seconds(1);
  EXPECT_THAT(Endings(), SizeIs(1));
  pods_.erase(pods_.begin());
  EXPECT_THAT(Endings(), IsEmpty());
  now_ += Claimants::kPerClaim;
  EXPECT_THAT(Endings(), ElementsAre("gpu-2 for team/train"));
}

TEST_F(YieldTest, EveryPodOfAGangTakesOne) {
  for (const char* name : {"train-0", "train-1", "train-2"}) {
    model::Pod pod = WaitingPod(name, 8);
    pod.gated = true;
    pod.gates = {"berth.dev/gang"};
    plan_.claimants().Upsert(pod, now_);
  }
  now_ += seconds(1);
  EXPECT_THAT(Endings(), ElementsAre("gpu-1 for team/train-0", "gpu-2 for team/train-1"));
}

TEST_F(YieldTest, APodThatIsGoneWantsNothing) {
  plan_.claimants().Upsert(WaitingPod("train"), now_);
  plan_.claimants().Remove(WaitingPod("train"));
  now_ += seconds(1);
  EXPECT_THAT(Endings(), IsEmpty());
}

TEST_F(YieldTest, APodThatIsNotInTheNextListWantsNothing) {
  plan_.claimants().Upsert(WaitingPod("train"), now_);
  plan_.claimants().BeginReplace();
  plan_.claimants().EndReplace();
  EXPECT_EQ(plan_.claimants().size(), 0u);
}

TEST_F(YieldTest, ChecksThatCannotEndAreGivenUp) {
  pods_[0].created = time_ - minutes(2) - Plan::kOverdue - model::kClockError;
  pods_[1].node_uid = "another";
  EXPECT_THAT(Endings(), ElementsAre("gpu-1: it has not ended in time", "gpu-2: the node is gone"));
}

TEST_F(YieldTest, ACheckHasItsTimeoutHoweverFarTheClockIsOff) {
  for (const seconds ahead : {-minutes(60), -minutes(5), minutes(5), minutes(60)}) {
    SCOPED_TRACE(ahead.count());
    pods_ = {RunningOn("gpu-1")};
    pods_[0].uid += std::to_string(ahead.count());
    pods_[0].created = time_ - ahead;
    plan_.OnCreated(pods_[0].uid, now_);
    Pass(minutes(2) + Plan::kOverdue - seconds(1));
    EXPECT_THAT(Endings(), IsEmpty());
    Pass(seconds(1));
    EXPECT_THAT(Endings(), ElementsAre("gpu-1: it has not ended in time"));
  }
}

TEST_F(YieldTest, ACheckOfAnotherLeaderIsNotTooOldIfTheClockIsMinutesOff) {
  for (const seconds ahead : {-minutes(5), minutes(5)}) {
    SCOPED_TRACE(ahead.count());
    pods_ = {RunningOn("gpu-1")};
    pods_[0].uid += std::to_string(ahead.count());
    pods_[0].created = time_ - minutes(2) - ahead;
    EXPECT_THAT(Endings(), IsEmpty());
    Pass(Plan::kOverdue - seconds(1));
    EXPECT_THAT(Endings(), IsEmpty());
    Pass(minutes(2) + seconds(1));
    EXPECT_THAT(Endings(), ElementsAre("gpu-1: it has not ended in time"))
        << "it counts from when this leader saw it";
  }
}

TEST_F(YieldTest, ChecksThatAreNotConfiguredAnyMoreAreGivenUp) {
  pods_[0].check = "former";
  pods_[1].outcome = Outcome::kPassed;
  EXPECT_THAT(Endings(), ElementsAre("gpu-1: there is no such check any more"));
}

}  // namespace
}  // namespace berth::checks
