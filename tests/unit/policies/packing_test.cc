#include "policies/scheduling/packing.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/unit/policies/fixtures.h"

namespace berth::scheduling {
namespace {

Verdict JudgeAs(const model::NodeState& node, const model::Pod& pod) {
  ReasonTable reasons;
  const std::string prefix = "berth.dev";
  const PackingPolicy policy({*Catalog(), prefix, reasons}, NoConfig{});
  const auto prepared = policy.Prepare(pod, FixedView(), kNow);
  return std::get<std::unique_ptr<NodeEvaluator>>(prepared)->Evaluate(node);
}

struct Case {
  std::string name;
  std::int64_t allocatable;
  std::int64_t used;
  std::int64_t request;
  std::uint16_t score;
};

class PackingTable : public testing::TestWithParam<Case> {};

TEST_P(PackingTable, Scores) {
  const Case& c = GetParam();
  model::NodeState node = NodeWith("n", kGpu, c.allocatable);
  node.used.Set(kGpu, c.used);
  const Verdict verdict = JudgeAs(node, PodAskingFor(kGpu, c.request));
  EXPECT_TRUE(verdict.fits);
  EXPECT_EQ(verdict.score, c.score);
}

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

INSTANTIATE_TEST_SUITE_P(
    All, PackingTable,
    testing::Values(Case{"WholeNodeOnEmptyNode", 8, 0, 8, 1000}, Case{"LastDevice", 8, 7, 1, 1000},
                    Case{"OneLeft", 8, 6, 1, 875}, Case{"SmallPodOnEmptyNode", 8, 0, 1, 125},
                    // Counting is kube-scheduler's: the snapshot may lag behind it.
                    Case{"TooFewFreeIsLastButNotRefused", 8, 7, 2, 0},
                    Case{"NoDevices", 0, 0, 1, 0}, Case{"AbsurdCountsStayInRange", kHuge, 1, 1, 0},
                    Case{"NegativeUseStaysInRange", 8, -8, 1, 0}),
    [](const auto& param) { return param.param.name; });

TEST(PackingPolicy, OfSeveralResourcesTheWorstPackedDecides) {
  model::NodeState node = NodeWith("n", kGpu, 8);
  node.node.allocatable.Set(kMnCore, 4);
  model::Pod pod = PodAskingFor(kGpu, 8);
  pod.requests.Set(kMnCore, 1);
  EXPECT_EQ(JudgeAs(node, pod).score, 250);
}

}  // namespace
}  // namespace berth::scheduling
