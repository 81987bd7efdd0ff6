#include "controller/repair_plan.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using policies::scheduling::FixedView;
using policies::scheduling::GpuNode;
using policies::scheduling::kNow;
using policies::scheduling::NodeWith;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using policies::scheduling::kV100;

std::string RepairName(int index) { return "v100-" + std::to_string(index); }

/// The nodes v100-0, v100-1 and so on, all well.
std::vector<model::NodeState> RepairNodes(int count) {
  std::vector<model::NodeState> nodes;
  for (int i = 0; i < count; ++i) {
    nodes.push_back(GpuNode(RepairName(i), kV100));
    nodes.back().node.uid = "u-" + RepairName(i);
  }
  return nodes;
}

/// The first `broken` of them are broken.
std::vector<model::NodeState> BrokenNodes(int broken, int count) {
  auto nodes = RepairNodes(count);
  for (int i = 0; i < broken; ++i) nodes[i] = Broken(nodes[i]);
  return nodes;
}

model::NodeState WithCondition(model::NodeState state, const std::string& condition,
                               model::ConditionStatus status = model::ConditionStatus::kTrue) {
  state.node.conditions.push_back({condition, status, kNow - std::chrono::hours(3), kNow});
  return state;
}

model::NodeState Allowed(model::NodeState state, const std::string& value = "allowed") {
  state.node.labels.emplace_back(kRepairLabel, value);
  model::Normalize(state.node.labels);
  return state;
}

model::NodeState OperatedOn(model::NodeState state) {
  state.node.taints.push_back({"nodeops.k8s.preferred.jp/operating", "", "NoSchedule"});
  return state;
}

RepairRules LabelRules() {
  return {.label = kRepairLabel, .enabled = true, .max_share = 0.25, .health = {}};
}

std::vector<RepairChange> PlanOf(const std::vector<model::NodeState>& nodes,
                                 const RepairRules& rules = LabelRules()) {
  return PlanRepairs(FixedView(nodes), *policies::scheduling::Catalog(), rules, kNow);
}

RepairChange Allow(int index) { return {RepairName(index), "u-" + RepairName(index), true}; }
RepairChange Deny(int index) { return {RepairName(index), "u-" + RepairName(index), false}; }

TEST(PlanRepairs, AllowsWhatIsExcludedAndNothingElse) {
  auto nodes = RepairNodes(12);
  nodes[1] = Broken(nodes[1]);
  nodes[4] = WithCondition(nodes[4], "NICLinkDown");       // excluded for pods with rdma/*
  nodes[5] = WithCondition(nodes[5], "PCIeLinkDegraded");  // only penalises
  nodes[6] = WithCondition(nodes[6], "GPUIsLost", model::ConditionStatus::kUnknown);
  EXPECT_THAT(PlanOf(nodes), ElementsAre(Allow(1), Allow(4)));
}

TEST(PlanRepairs, EndsWithTheFault) {
  auto nodes = RepairNodes(12);
  nodes[1] = Allowed(Broken(nodes[1]));
  nodes[2] = Allowed(nodes[2]);
  EXPECT_THAT(PlanOf(nodes), ElementsAre(Deny(2)));
}

RepairRules MaintenanceRules() {
  RepairRules rules = LabelRules();
  rules.health.profiles = {policies::scheduling::HealthProfile::kPfn,
                           policies::scheduling::HealthProfile::kLifecycle};
  return rules;
}

TEST(PlanRepairs, MaintenanceIsNoFault) {
  for (const char* type : {"MaintenancePlanned", "MaintenanceInProgress", "DrainInProgress",
                           "Drained", "GracefulNodeShutdownInProgress"}) {
    auto nodes = RepairNodes(12);
    nodes[1] = WithCondition(nodes[1], type);
    nodes[2] = WithCondition(Broken(nodes[2]), type);
    EXPECT_THAT(PlanOf(nodes, MaintenanceRules()), ElementsAre(Allow(2))) << type;
  }
}

// A node that is worked on is away. One on which work is announced still takes pods.
TEST(PlanRepairs, NodesInMaintenanceAreAway) {
  const auto plan = [](const char* type) {
    auto nodes = BrokenNodes(3, 12);
    nodes[7] = WithCondition(nodes[7], type);
    return PlanOf(nodes, MaintenanceRules());
  };
  EXPECT_THAT(plan("Drained"), IsEmpty());
  EXPECT_THAT(plan("MaintenancePlanned"), SizeIs(3));
}

// The brake: as many as the share, and not one more.
TEST(PlanRepairs, StopsWhereMoreThanTheShareIsAway) {
  EXPECT_THAT(PlanOf(BrokenNodes(3, 12)), SizeIs(3));
  EXPECT_THAT(PlanOf(BrokenNodes(4, 12)), IsEmpty());
  auto nodes = BrokenNodes(4, 12);
  nodes[0] = Allowed(nodes[0]);
  EXPECT_THAT(PlanOf(nodes), ElementsAre(Deny(0)));
}

TEST(PlanRepairs, OneNodeMayAlwaysBeAway) {
  EXPECT_THAT(PlanOf(BrokenNodes(1, 2)), ElementsAre(Allow(0)));
  EXPECT_THAT(PlanOf(BrokenNodes(2, 2)), IsEmpty());
}

TEST(PlanRepairs, CountsWhateverIsAway) {
  const auto away = [](model::NodeState (*how)(model::NodeState)) {
    auto nodes = BrokenNodes(3, 12);
    nodes[7] = how(nodes[7]);
    return PlanOf(nodes).empty();
  };
  EXPECT_TRUE(away([](model::NodeState state) {
    state.node.unschedulable = true;
    return state;
  }));
  EXPECT_TRUE(away(OperatedOn));
  EXPECT_TRUE(away([](model::NodeState state) {
    return WithCondition(std::move(state), "Ready", model::ConditionStatus::kFalse);
  }));
  EXPECT_TRUE(away([](model::NodeState state) {
    return WithCondition(std::move(state), "Ready", model::ConditionStatus::kUnknown);
  }));
  EXPECT_FALSE(
      away([](model::NodeState state) { return WithCondition(std::move(state), "Ready"); }));
}

TEST(PlanRepairs, PoolsDoNotCountForEachOther) {
  auto nodes = BrokenNodes(4, 12);
  nodes.push_back(Broken(GpuNode("a100-0", "NVIDIA-A100-SXM4-40GB")));
  EXPECT_THAT(PlanOf(nodes), ElementsAre(RepairChange{"a100-0", "", true}));
}

// Its detector is more likely at fault than the nodes.
TEST(PlanRepairs, ATrippedBreakerStopsItWhateverTheShare) {
  RepairRules rules = LabelRules();
  rules.max_share = 1;
  EXPECT_THAT(PlanOf(BrokenNodes(6, 12), rules), SizeIs(6));
  auto nodes = BrokenNodes(7, 12);
  nodes[0] = Allowed(nodes[0]);
  nodes[11] = WithCondition(nodes[11], "DStateProcess");  // another detector's word
  EXPECT_THAT(PlanOf(nodes, rules), ElementsAre(Deny(0), Allow(11)));
}

// The conditions keep their effect for a while, also on nodes that the breaker has spared.
TEST(PlanRepairs, WhatIsOverKeepsALabelAndGivesNone) {
  RepairRules rules = LabelRules();
  rules.max_share = 1;
  auto nodes = RepairNodes(12);
  const model::Time mended = kNow - std::chrono::minutes(1);
  for (int i = 0; i < 5; ++i) {
    nodes[i].node.conditions = {{"GPUIsLost", model::ConditionStatus::kFalse, mended, kNow}};
    nodes[i].past = {{"GPUIsLost", kNow - std::chrono::hours(3), mended}};
  }
  EXPECT_THAT(PlanOf(nodes, rules), IsEmpty());
  nodes[0] = Allowed(nodes[0]);
  EXPECT_THAT(PlanOf(nodes, rules), IsEmpty());
  nodes[0].past.clear();
  EXPECT_THAT(PlanOf(nodes, rules), ElementsAre(Deny(0)));
}

// node-operation-controller would delete the Job, and the node would stay half repaired.
TEST(PlanRepairs, WhatIsBeingRepairedIsFinished) {
  auto nodes = BrokenNodes(4, 12);
  nodes[0] = OperatedOn(Allowed(nodes[0]));
  nodes[5] = OperatedOn(Allowed(nodes[5]));  // well again
  EXPECT_THAT(PlanOf(nodes), IsEmpty());
  nodes[0].node.taints.clear();
  EXPECT_THAT(PlanOf(nodes), ElementsAre(Deny(0)));
}

// As when nobody can tell any more which accelerators it has, because none of them answers.
TEST(PlanRepairs, WhatIsBeingRepairedIsFinishedOutsideTheCatalogue) {
  const model::NodeState outside = Allowed(Broken(NodeWith("a", "cpu", 64)));
  EXPECT_THAT(PlanOf({OperatedOn(outside)}), IsEmpty());
  EXPECT_THAT(PlanOf({outside}), ElementsAre(RepairChange{"a", "", false}));
}

TEST(PlanRepairs, AnAdministratorsValueStays) {
  auto nodes = RepairNodes(12);
  nodes[1] = Allowed(Broken(nodes[1]), "never");
  nodes[2] = Allowed(nodes[2], "never");
  EXPECT_THAT(PlanOf(nodes), IsEmpty());
}

TEST(PlanRepairs, WhatCannotBeReadStaysAsItIs) {
  auto nodes = RepairNodes(12);
  nodes[1] = Broken(nodes[1]);
  nodes[1].quarantined = true;
  nodes[2] = Allowed(nodes[2]);
  nodes[2].quarantined = true;
  EXPECT_THAT(PlanOf(nodes), IsEmpty());
}

TEST(PlanRepairs, NodesOutsideTheCatalogueAreInNoPool) {
  std::vector<model::NodeState> nodes = {Broken(NodeWith("a", "cpu", 64)),
                                         Allowed(Broken(NodeWith("b", "cpu", 64)))};
  EXPECT_THAT(PlanOf(nodes), ElementsAre(RepairChange{"b", "", false}));
}

TEST(PlanRepairs, SwitchedOffItTakesTheLabelsAway) {
  auto nodes = BrokenNodes(2, 12);
  nodes[0] = OperatedOn(Allowed(nodes[0]));
  nodes[3] = Allowed(nodes[3], "never");
  RepairRules rules = LabelRules();
  rules.enabled = false;
  EXPECT_THAT(PlanOf(nodes, rules), ElementsAre(Deny(0)));
}

}  // namespace
}  // namespace berth::controller
