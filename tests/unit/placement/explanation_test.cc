#include "placement/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "placement/explanation_hints.h"
#include "tests/unit/extender/fixtures.h"

namespace berth::placement {
namespace {

using model::ConditionStatus;
using policies::scheduling::GpuNode;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kV100[] = "Tesla-V100-SXM2-32GB";

Explanation Explained(const extender::ExtenderUnderTest& berth, const model::Pod& pod) {
  return Explain(pod, berth.snapshot.Read(), *berth.engine, policies::scheduling::kNow);
}

model::Pod AskingFor(std::int64_t gpus) {
  return policies::scheduling::PodAskingFor(policies::scheduling::kGpu, gpus);
}

model::NodeState Lost(const std::string& name) {
  return extender::WithCondition(GpuNode(name, kV100), "GPUIsLost", ConditionStatus::kTrue);
}

/// A node that has only so many of its eight devices left.
model::NodeState WithFree(const std::string& name, std::int64_t free) {
  model::NodeState state = GpuNode(name, kV100);
  state.node.allocatable.Set(policies::scheduling::kGpu, free);
  return state;
}

TEST(ExplanationOrder, NodesThatFitComeFirstThenThoseThatMostAreRefusedWith) {
  const extender::ExtenderUnderTest berth(
      {extender::WithCondition(GpuNode("a", kV100), "DStateProcess", ConditionStatus::kTrue),
       Lost("b"), GpuNode("c", kV100), Lost("d"),
       extender::WithCondition(GpuNode("e", kV100), "GPURuntimeError", ConditionStatus::kTrue)});
  const Explanation explanation = Explained(berth, AskingFor(1));
  ASSERT_EQ(explanation.nodes.size(), 5U);
  EXPECT_EQ(explanation.fitting, 1U);
  EXPECT_EQ(explanation.nodes[0].name, "c");
  EXPECT_EQ(explanation.nodes[1].name, "b");
  EXPECT_EQ(explanation.nodes[2].name, "d");
  ASSERT_EQ(explanation.groups.size(), 3U);
  EXPECT_EQ(explanation.groups[0].count, 2U);
  EXPECT_EQ(explanation.groups[0].reason, "node(s) had condition GPUIsLost");
}

TEST(ExplanationHints, SayOnHowManyOfThoseThatFitEnoughIsFree) {
  const struct {
    std::vector<model::NodeState> nodes;
    std::vector<std::string> hints;
  } cases[] = {
      {{WithFree("a", 4), WithFree("b", 8)}, {}},
      {{WithFree("a", 4), WithFree("b", 3)}, {"of the 2 that fit, 1 has 4 free nvidia.com/gpu"}},
      {{WithFree("a", 4), WithFree("b", 5), WithFree("c", 0)},
       {"of the 3 that fit, 2 have 4 free nvidia.com/gpu"}},
      {{WithFree("a", 3), WithFree("b", 2)},
       {"of the 2 that fit, 0 have 4 free nvidia.com/gpu; the most is 3"}},
  };
  for (const auto& test : cases) {
    const extender::ExtenderUnderTest berth(test.nodes);
    EXPECT_EQ(Explained(berth, AskingFor(4)).hints, test.hints);
  }
}

TEST(ExplanationHints, NodesThatAreRefusedDoNotCount) {
  const extender::ExtenderUnderTest berth({Lost("lost"), WithFree("a", 3), WithFree("b", 8)});
  EXPECT_THAT(Explained(berth, AskingFor(4)).hints,
              ElementsAre("of the 2 that fit, 1 has 4 free nvidia.com/gpu"));
}

TEST(ExplanationHints, TellOfNodesThatDoNotListTheDevice) {
  const auto cpu = [](const char* name) {
    return policies::scheduling::NodeWith(name, "cpu", 64000);
  };
  const extender::ExtenderUnderTest one({GpuNode("a", kV100), cpu("c1")});
  EXPECT_THAT(Explained(one, AskingFor(1)).hints,
              ElementsAre("of the 2 that fit, 1 has 1 free nvidia.com/gpu",
                          "1 that fits lists no nvidia.com/gpu at all; kube-scheduler will refuse "
                          "it, unless dynamic resource allocation serves it there"));
  const extender::ExtenderUnderTest two({GpuNode("a", kV100), cpu("c1"), cpu("c2")});
  EXPECT_THAT(Explained(two, AskingFor(1)).hints,
              ElementsAre("of the 3 that fit, 1 has 1 free nvidia.com/gpu",
                          "2 that fit list no nvidia.com/gpu at all; kube-scheduler will refuse "
                          "them, unless dynamic resource allocation serves it there"));
}

TEST(ExplanationHints, NameThreeNodesThatAreBeingRepaired) {
  const auto nodes = [](int repaired) {
    std::vector<model::NodeState> states = {GpuNode("good", kV100)};
    for (int i = 0; i < repaired; ++i) {
      states.push_back(GpuNode("n" + std::to_string(i), kV100));
      states.back().node.taints = {{"nodeops.k8s.preferred.jp/operating", "", "NoSchedule"}};
    }
    return states;
  };
  EXPECT_THAT(Explained(extender::ExtenderUnderTest(nodes(0)), AskingFor(1)).hints, IsEmpty());
  EXPECT_THAT(Explained(extender::ExtenderUnderTest(nodes(1)), AskingFor(1)).hints,
              ElementsAre("1 node is under repair by node-operation-controller, so kube-scheduler "
                          "places nothing there: n0"));
  EXPECT_THAT(Explained(extender::ExtenderUnderTest(nodes(5)), AskingFor(1)).hints,
              ElementsAre("5 nodes are under repair by node-operation-controller, so "
                          "kube-scheduler places nothing there: n0, n1, n2 and 2 more"));
  model::Pod tolerates = AskingFor(1);
  tolerates.tolerations = {{.key = "", .op = "Exists"}};
  EXPECT_THAT(Explained(extender::ExtenderUnderTest(nodes(1)), tolerates).hints, IsEmpty());
}

TEST(QuarantineHints, NameThreeOfAKindAndCountTheOthers) {
  extender::ExtenderUnderTest berth({});
  EXPECT_THAT(QuarantineHints(berth.snapshot.Read()), IsEmpty());
  berth.snapshot.QuarantineNode({.kind = "Node", .name = "n1", .error = "odd"});
  EXPECT_THAT(QuarantineHints(berth.snapshot.Read()),
              ElementsAre("node n1 cannot be read; it gets no pods until it can be: odd"));
  for (const char* name : {"n2", "n3", "n4", "n5"}) {
    berth.snapshot.QuarantineNode({.kind = "Node", .name = name, .error = "odd"});
  }
  berth.snapshot.QuarantinePod(
      {.kind = "Pod", .namespace_ = "ml", .name = "p", .uid = "u", .error = "odd, too"});
  EXPECT_THAT(QuarantineHints(berth.snapshot.Read()),
              ElementsAre("node n1 cannot be read; it gets no pods until it can be: odd",
                          "node n2 cannot be read; it gets no pods until it can be: odd",
                          "node n3 cannot be read; it gets no pods until it can be: odd",
                          "2 more nodes cannot be read",
                          "pod ml/p cannot be read; it counts as last known: odd, too"));
}

TEST(QuarantineHints, CountObjectsWithoutAName) {
  extender::ExtenderUnderTest berth({});
  berth.snapshot.BeginReplace(cluster::Kind::kNodes);
  berth.snapshot.QuarantineNode({.kind = "Node", .error = "odd"});
  berth.snapshot.EndReplace(cluster::Kind::kNodes);
  EXPECT_THAT(QuarantineHints(berth.snapshot.Read()),
              ElementsAre("not even the names of 1 node can be read"));
  berth.snapshot.BeginReplace(cluster::Kind::kNodes);
  for (int i = 0; i < 2; ++i) berth.snapshot.QuarantineNode({.kind = "Node", .error = "odd"});
  berth.snapshot.EndReplace(cluster::Kind::kNodes);
  EXPECT_THAT(QuarantineHints(berth.snapshot.Read()),
              ElementsAre("not even the names of 2 nodes can be read"));
}

}  // namespace
}  // namespace berth::placement
