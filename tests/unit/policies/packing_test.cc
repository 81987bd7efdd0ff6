#include "policies/scheduling/packing.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

Verdict JudgeAs(const model::NodeState& node, const model::Pod& pod) {
  ReasonTable reasons;
  const std::string prefix = "berth.dev";
  const PackingPolicy policy({*Catalog(), prefix, reasons}, NoConfig{});
  const auto prepared = policy.Prepare(pod, FixedView(), kNow);
  return std::get<std::unique_ptr<NodeEvaluator>>(prepared)->Evaluate(node);
}

model::NodeState NodeUsing(std::int64_t used, std::int64_t of) {
  model::NodeState node = NodeWith("n", kGpu, of);
  node.used.Set(kGpu, used);
  return node;
}

struct PackingCase {
  std::string name;
  std::int64_t allocatable;
  std::int64_t used;
  std::int64_t request;
  std::uint16_t score;
};

class PackingTable : public testing::TestWithParam<PackingCase> {};

TEST_P(PackingTable, Scores) {
  const PackingCase& c = GetParam();
  const Verdict verdict = JudgeAs(NodeUsing(c.used, c.allocatable), PodAskingFor(kGpu, c.request));
  EXPECT_TRUE(verdict.fits);
  EXPECT_FALSE(verdict.last);
  EXPECT_EQ(verdict.score, c.score);
}

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

INSTANTIATE_TEST_SUITE_P(
    All, PackingTable,
    testing::Values(PackingCase{"LastDevice", 8, 7, 1, 1000}, PackingCase{"OneLeft", 8, 6, 1, 750},
                    PackingCase{"JustStarted", 8, 1, 1, 571},
                    PackingCase{"WholeNodeOnEmptyNode", 8, 0, 8, 500},
                    PackingCase{"SmallPodOnEmptyNode", 8, 0, 1, 63},
                    // Counting is kube-scheduler's: the snapshot may lag behind it.
                    PackingCase{"TooFewFreeScoresNothingButIsNotRefused", 8, 7, 2, 0},
                    PackingCase{"NoDevices", 0, 0, 1, 0},
                    PackingCase{"AbsurdCountsStayInRange", kHuge, 1, 1, 500},
                    PackingCase{"AbsurdUseStaysInRange", 8, kHuge, 1, 0},
                    PackingCase{"NegativeUseStaysInRange", 8, -8, 1, 31}),
    [](const auto& param) { return param.param.name; });

// Nodes as {used, of}, best first.
struct OrderCase {
  std::string name;
  std::int64_t request;
  std::vector<std::pair<std::int64_t, std::int64_t>> nodes;
};

class PackingOrder : public testing::TestWithParam<OrderCase> {};

TEST_P(PackingOrder, OfMixedNodes) {
  const OrderCase& c = GetParam();
  for (std::size_t i = 1; i < c.nodes.size(); ++i) {
    const auto score = [&](const std::pair<std::int64_t, std::int64_t>& node) {
      return JudgeAs(NodeUsing(node.first, node.second), PodAskingFor(kGpu, c.request)).score;
    };
    EXPECT_GT(score(c.nodes[i - 1]), score(c.nodes[i]))
        << c.nodes[i - 1].first << '/' << c.nodes[i - 1].second << " before " << c.nodes[i].first
        << '/' << c.nodes[i].second;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PackingOrder,
    testing::Values(
        OrderCase{"SmallPodsFillStartedNodes",
                  1,
                  {{3, 4}, {4, 6}, {5, 8}, {1, 8}, {0, 4}, {0, 6}, {0, 8}}},
        OrderCase{"PairsCloseGaps", 2, {{4, 6}, {1, 4}, {2, 6}, {1, 8}, {0, 4}, {0, 6}, {0, 8}}},
        OrderCase{"WholeNodesOfTheSmallestThatHoldsThem",
                  4,
                  {{4, 8}, {1, 6}, {0, 4}, {0, 6}, {0, 8}, {1, 4}}},
        OrderCase{"WholeNodesOfSix", 6, {{2, 8}, {0, 6}, {0, 8}, {1, 6}}},
        OrderCase{"WholeNodesOfEight", 8, {{0, 8}, {1, 8}}}),
    [](const auto& param) { return param.param.name; });

TEST(PackingPolicy, OfSeveralResourcesTheWorstPackedDecides) {
  model::NodeState node = NodeUsing(4, 8);
  node.node.allocatable.Set(kMnCore, 4);
  model::Pod pod = PodAskingFor(kGpu, 4);
  EXPECT_EQ(JudgeAs(node, pod).score, 1000);
  pod.requests.Set(kMnCore, 1);
  EXPECT_EQ(JudgeAs(node, pod).score, 125);
}

TEST(PackingPolicy, TaintsThatOnlyPreferComeLastUnlessTolerated) {
  model::NodeState node = NodeUsing(7, 8);
  model::Pod pod = PodAskingFor(kGpu, 1);
  node.node.taints = {{"dedicated", "team-a", "NoSchedule"}};  // kube-scheduler's own
  EXPECT_FALSE(JudgeAs(node, pod).last);
  node.node.taints.push_back({"dedicated", "team-a", "PreferNoSchedule"});
  const Verdict tainted = JudgeAs(node, pod);
  EXPECT_TRUE(tainted.fits);
  EXPECT_TRUE(tainted.last);
  EXPECT_NE(tainted.reason, kNoReason);
  EXPECT_EQ(tainted.score, 1000);
  pod.tolerations = {{"dedicated", "Equal", "team-a", ""}};
  EXPECT_FALSE(JudgeAs(node, pod).last);
  node.node.taints.push_back({"other", "", "PreferNoSchedule"});
  EXPECT_TRUE(JudgeAs(node, pod).last);
}

}  // namespace
}  // namespace berth::policies::scheduling
