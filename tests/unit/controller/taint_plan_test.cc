#include "controller/taint_plan.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using policies::scheduling::Effect;
using policies::scheduling::FixedView;
using policies::scheduling::GpuNode;
using policies::scheduling::kNow;
using policies::scheduling::NodeWith;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using policies::scheduling::kV100;

std::string TaintName(int index) { return "v100-" + std::to_string(index); }

/// The nodes v100-0, v100-1 and so on, all well.
std::vector<model::NodeState> TaintNodes(int count) {
  std::vector<model::NodeState> nodes;
  for (int i = 0; i < count; ++i) {
    nodes.push_back(GpuNode(TaintName(i), kV100));
    nodes.back().node.uid = "u-" + TaintName(i);
  }
  return nodes;
}

model::NodeState WithStatus(model::NodeState state, const std::string& condition,
                            model::ConditionStatus status = model::ConditionStatus::kTrue) {
  state.node.conditions.push_back({condition, status, kNow - std::chrono::hours(3), kNow});
  return state;
}

model::NodeState Tainted(model::NodeState state, const std::string& value = "GPUIsLost") {
  state.node.taints.push_back({kTaint, value, "NoSchedule"});
  return state;
}

TaintRules KeyRules() { return {.key = kTaint, .enabled = true, .health = {}}; }

std::vector<TaintChange> TaintsOf(const std::vector<model::NodeState>& nodes,
                                  const TaintRules& rules = KeyRules(),
                                  const std::set<std::string>& written = {}) {
  return PlanTaints(FixedView(nodes), *policies::scheduling::Catalog(), rules, written, kNow);
}

/// The change of node `index` of Nodes().
TaintChange Change(int index, std::optional<std::string> value) {
  return {.node = TaintName(index), .uid = "u-" + TaintName(index), .value = std::move(value)};
}

TEST(PlanTaints, TaintsExcludedNodesWithTheirCondition) {
  auto nodes = TaintNodes(8);
  nodes[1] = Broken(nodes[1]);
  nodes[4] = WithStatus(nodes[4], "DStateProcess");
  nodes[5] = WithStatus(nodes[5], "PCIeLinkDegraded");  // only penalises
  EXPECT_THAT(TaintsOf(nodes), ElementsAre(Change(1, "GPUIsLost"), Change(4, "DStateProcess")));
}

TEST(PlanTaints, TakesTheTaintAwayWhenTheNodeIsWell) {
  auto nodes = TaintNodes(4);
  nodes[1] = Tainted(Broken(nodes[1]));
  nodes[2] = Tainted(WithStatus(nodes[2], "GPUIsLost", model::ConditionStatus::kFalse));
  EXPECT_THAT(TaintsOf(nodes), ElementsAre(Change(2, std::nullopt)));
}

TEST(PlanTaints, TellsTheConditionThatExcludesTheNodeNow) {
  auto nodes = TaintNodes(4);
  nodes[1] = Tainted(WithStatus(nodes[1], "DStateProcess"));
  EXPECT_THAT(TaintsOf(nodes), ElementsAre(Change(1, "DStateProcess")));
}

// Pods that need no such resource go there.
TEST(PlanTaints, DoesNotTaintForEntriesAboutSomePods) {
  auto nodes = TaintNodes(4);
  nodes[1] = WithStatus(nodes[1], "NICLinkDown");  // excludes for rdma/*, penalises for all others
  EXPECT_THAT(TaintsOf(nodes), IsEmpty());
}

// The taint would keep all pods off.
TEST(PlanTaints, DoesNotTaintForEntriesThatLeaveShortPodsAlone) {
  auto nodes = TaintNodes(4);
  nodes[1] = WithStatus(nodes[1], "MaintenancePlanned");
  nodes[2] = WithStatus(nodes[2], "MaintenanceInProgress");
  TaintRules rules = KeyRules();
  rules.health.profiles = {policies::scheduling::HealthProfile::kLifecycle};
  EXPECT_THAT(TaintsOf(nodes, rules), ElementsAre(Change(2, "MaintenanceInProgress")));
}

TEST(PlanTaints, AConditionHasItsEffectFirst) {
  auto nodes = TaintNodes(4);
  nodes[1] = Broken(nodes[1]);
  TaintRules rules = KeyRules();
  rules.health.profiles.clear();
  rules.health.conditions = {{.type = "GPUIsLost", .min_duration = std::chrono::hours(4)}};
  EXPECT_THAT(TaintsOf(nodes, rules), IsEmpty());
  rules.health.conditions[0].min_duration = std::chrono::hours(2);
  EXPECT_THAT(TaintsOf(nodes, rules), SizeIs(1));
}

TEST(PlanTaints, TaintsForWhatIsBadWhenFalse) {
  auto nodes = TaintNodes(4);
  nodes[1] = WithStatus(nodes[1], "AcceleratedHardwareReady", model::ConditionStatus::kFalse);
  nodes[2] = WithStatus(nodes[2], "AcceleratedHardwareReady");
  TaintRules rules = KeyRules();
  rules.health.profiles.clear();
  rules.health.conditions = {
      {.type = "AcceleratedHardwareReady", .bad_status = policies::scheduling::BadStatus::kFalse}};
  EXPECT_THAT(TaintsOf(nodes, rules), ElementsAre(Change(1, "AcceleratedHardwareReady")));
}

TEST(PlanTaints, UnknownTaintsWhereItExcludes) {
  auto nodes = TaintNodes(4);
  nodes[1] = WithStatus(nodes[1], "GPUIsLost", model::ConditionStatus::kUnknown);
  TaintRules rules = KeyRules();
  EXPECT_THAT(TaintsOf(nodes, rules), IsEmpty());
  rules.health.unknown_status = Effect::kExclude;
  EXPECT_THAT(TaintsOf(nodes, rules), ElementsAre(Change(1, "GPUIsLost")));
}

TEST(PlanTaints, ATypeThatIsNoValueIsLeftOut) {
  auto nodes = TaintNodes(4);
  nodes[1] = WithStatus(nodes[1], "example.com/Broken");
  TaintRules rules = KeyRules();
  rules.health.profiles.clear();
  rules.health.conditions = {{.type = "example.com/Broken"}};
  EXPECT_THAT(TaintsOf(nodes, rules), ElementsAre(Change(1, "")));
  nodes[1] = Tainted(nodes[1], "");
  EXPECT_THAT(TaintsOf(nodes, rules), IsEmpty());
}

TEST(PlanTaints, NodesOutsideTheCatalogueAreInNoPool) {
  std::vector<model::NodeState> nodes = {Broken(NodeWith("cpu", "cpu", 64)), GpuNode("a", kV100)};
  EXPECT_THAT(TaintsOf(nodes), IsEmpty());
  nodes[0] = Tainted(nodes[0]);
  EXPECT_THAT(TaintsOf(nodes), ElementsAre(TaintChange{.node = "cpu", .uid = "", .value = {}}));
}

// Its detector is more likely at fault, whether Berth goes on to exclude the nodes or not.
TEST(PlanTaints, ATrippedBreakerTakesItsTaintsAway) {
  auto nodes = TaintNodes(12);
  for (int i = 0; i < 7; ++i) nodes[i] = Broken(nodes[i]);
  nodes[0] = Tainted(nodes[0]);
  nodes[11] = WithStatus(nodes[11], "DStateProcess");
  for (const auto action : {policies::scheduling::BreakerAction::kAlert,
                            policies::scheduling::BreakerAction::kPenalize}) {
    TaintRules rules = KeyRules();
    rules.health.breaker.action = action;
    EXPECT_THAT(TaintsOf(nodes, rules),
                ElementsAre(Change(0, std::nullopt), Change(11, "DStateProcess")));
  }
  nodes[6] = GpuNode(TaintName(6), kV100);
  nodes[11] = GpuNode(TaintName(11), kV100);
  EXPECT_THAT(TaintsOf(nodes), SizeIs(5));  // the sixth has it
}

// The conditions keep their effect for a while, also on nodes that the breaker has spared.
TEST(PlanTaints, WhatIsOverKeepsATaintAndGivesNone) {
  auto nodes = TaintNodes(12);
  const model::Time mended = kNow - std::chrono::minutes(1);
  for (int i = 0; i < 5; ++i) {
    nodes[i].node.conditions = {{"GPUIsLost", model::ConditionStatus::kFalse, mended, kNow}};
    nodes[i].past = {{"GPUIsLost", kNow - std::chrono::hours(3), mended}};
  }
  EXPECT_THAT(TaintsOf(nodes), IsEmpty());
  nodes[0] = Tainted(nodes[0]);
  EXPECT_THAT(TaintsOf(nodes), IsEmpty());
  nodes[0].past.clear();
  EXPECT_THAT(TaintsOf(nodes), ElementsAre(Change(0, std::nullopt)));
}

TEST(PlanTaints, ABreakerIsAboutItsOwnPool) {
  auto nodes = TaintNodes(12);
  for (model::NodeState& node : nodes) node = Broken(node);
  nodes.push_back(Broken(GpuNode("a30-0", "NVIDIA-A30")));
  nodes.push_back(GpuNode("a30-1", "NVIDIA-A30"));
  EXPECT_THAT(TaintsOf(nodes),
              ElementsAre(TaintChange{.node = "a30-0", .uid = "", .value = "GPUIsLost"}));
}

// Small pools have no breaker, and several conditions together trip none.
TEST(PlanTaints, NeverTaintsMoreThanAShareOfAPool) {
  const struct {
    int nodes;
    double fraction;
    std::size_t most;
  } cases[] = {{1, 0.5, 0}, {2, 0.5, 1}, {5, 0.5, 2}, {9, 0.5, 4}, {5, 0.1, 0}, {3, 1, 3}};
  for (const auto& [count, fraction, most] : cases) {
    auto nodes = TaintNodes(count);
    for (int i = 0; i < count; ++i) {
      nodes[i] = WithStatus(nodes[i], i % 2 == 0 ? "GPUIsLost" : "DStateProcess");
    }
    TaintRules rules = KeyRules();
    rules.health.breaker.fraction = fraction;
    EXPECT_THAT(TaintsOf(nodes, rules), SizeIs(most)) << count << " nodes, " << fraction;
  }
}

TEST(PlanTaints, ANodeKeepsItsTaintBeforeOthersGetOne) {
  auto nodes = TaintNodes(4);
  for (model::NodeState& node : nodes) node = Broken(node);
  nodes[3] = Tainted(nodes[3]);
  EXPECT_THAT(TaintsOf(nodes), ElementsAre(Change(0, "GPUIsLost")));
}

TEST(PlanTaints, TaintsAboveTheShareAreTakenAway) {
  auto nodes = TaintNodes(4);
  for (model::NodeState& node : nodes) node = Tainted(Broken(node));
  EXPECT_THAT(TaintsOf(nodes), ElementsAre(Change(2, std::nullopt), Change(3, std::nullopt)));
}

// It may take a while until it is gone.
TEST(PlanTaints, ATaintCountsUntilItIsGone) {
  auto nodes = TaintNodes(2);
  nodes[0] = Broken(nodes[0]);
  nodes[1] = Tainted(nodes[1]);
  EXPECT_THAT(TaintsOf(nodes), ElementsAre(Change(1, std::nullopt)));
}

TEST(PlanTaints, ATaintCountsBeforeItIsSeen) {
  auto nodes = TaintNodes(4);
  for (model::NodeState& node : nodes) node = Broken(node);
  EXPECT_THAT(TaintsOf(nodes, KeyRules(), {"v100-3"}), ElementsAre(Change(0, "GPUIsLost")));
  EXPECT_THAT(TaintsOf(nodes, KeyRules(), {"v100-3", "v100-2"}), IsEmpty());
}

TEST(PlanTaints, ANodeThatCannotBeReadStaysAsItIs) {
  auto nodes = TaintNodes(4);
  nodes[0] = Tainted(nodes[0]);
  nodes[1] = Broken(nodes[1]);
  nodes[0].quarantined = nodes[1].quarantined = true;
  EXPECT_THAT(TaintsOf(nodes), IsEmpty());
}

TEST(PlanTaints, SwitchedOffEveryTaintGoes) {
  auto nodes = TaintNodes(4);
  nodes[0] = Broken(nodes[0]);
  nodes[1] = Tainted(Broken(nodes[1]));
  nodes[2] = Tainted(nodes[2], "");
  nodes[3] = Tainted(nodes[3]);
  nodes[3].quarantined = true;
  nodes.push_back(Tainted(NodeWith("cpu", "cpu", 64)));
  TaintRules rules = KeyRules();
  rules.enabled = false;
  EXPECT_THAT(TaintsOf(nodes, rules),
              ElementsAre(Change(1, std::nullopt), Change(2, std::nullopt), Change(3, std::nullopt),
                          TaintChange{.node = "cpu", .uid = "", .value = {}}));
}

// They are those of somebody else.
TEST(PlanTaints, OtherEffectsAndOtherKeysAreLeftAlone) {
  auto nodes = TaintNodes(2);
  nodes[0].node.taints = {{kTaint, "x", "NoExecute"}, {kTaint, "x", "PreferNoSchedule"}};
  nodes[1].node.taints = {{"example.com/excluded", "x", "NoSchedule"}};
  EXPECT_THAT(TaintsOf(nodes), IsEmpty());
  nodes[0] = Broken(nodes[0]);
  EXPECT_THAT(TaintsOf(nodes), ElementsAre(Change(0, "GPUIsLost")));
}

}  // namespace
}  // namespace berth::controller
