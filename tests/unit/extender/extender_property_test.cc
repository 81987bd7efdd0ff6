// What kube-scheduler relies on, for every cluster and every request, tried on seeded random ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "policies/scheduling/rank.h"
#include "tests/unit/extender/fixtures.h"

namespace berth::extender {
namespace {

using model::ConditionStatus;

constexpr std::uint32_t kRounds = 100;

std::vector<model::NodeState> RandomNodes(std::mt19937& random, std::size_t count) {
  const auto below = [&](int end) { return std::uniform_int_distribution<>(0, end - 1)(random); };
  const char* products[] = {"Tesla-V100-SXM2-32GB", "NVIDIA-A100-SXM4-40GB",
                            "Tesla-P100-PCIE-16GB"};
  std::vector<model::NodeState> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "n" + std::to_string(i);
    auto node = below(4) == 0
                    ? policies::scheduling::NodeWith(name, policies::scheduling::kMnCore, 4)
                    : policies::scheduling::GpuNode(name, products[below(3)]);
    if (below(3) == 0) node = WithCondition(node, "GPUIsLost", ConditionStatus::kTrue);
    if (below(3) == 0) node = WithCondition(node, "NICLinkDown", ConditionStatus::kUnknown);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

model::Pod RandomPod(std::mt19937& random) {
  const char* models[] = {"", "A100", "V100,A100", "MN-Core", "Nope"};
  const auto choice = std::uniform_int_distribution<std::size_t>(0, 4)(random);
  model::StringMap annotations;
  if (choice > 0) annotations.emplace_back("berth.dev/accelerators", models[choice]);
  return policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 1, std::move(annotations));
}

TEST(ExtenderProperties, FilterPartitionsWhatWasAskedAndOrderDoesNotMatter) {
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    std::mt19937 random(seed);
    ExtenderUnderTest berth(RandomNodes(random, 40));
    ExtenderArgs args{.pod = RandomPod(random)};
    std::vector<std::string> names;
    // Some of the cluster's nodes, and some that nobody knows.
    for (int i = 0; i < 50; i += 1 + static_cast<int>(random() % 3)) {
      names.push_back("n" + std::to_string(i));
    }
    args.node_names.assign(names.begin(), names.end());
    const FilterResult result = berth.placer->Filter(args, policies::scheduling::kNow);

    const std::set<std::string_view> asked(names.begin(), names.end());
    std::set<std::string_view> answered(result.node_names.begin(), result.node_names.end());
    ASSERT_EQ(answered.size(), result.node_names.size()) << "seed " << seed;
    const std::set<std::string_view> fitting = answered;
    for (const auto& failures : {result.failed, result.unresolvable}) {
      for (const FailedNode& node : failures) answered.insert(node.name);
    }
    ASSERT_TRUE(std::includes(asked.begin(), asked.end(), answered.begin(), answered.end()));
    // All refused nodes are listed if and only if none fits.
    ASSERT_EQ(answered.size(), fitting.empty() ? asked.size() : fitting.size()) << "seed " << seed;

    std::shuffle(args.node_names.begin(), args.node_names.end(), random);
    const FilterResult shuffled = berth.placer->Filter(args, policies::scheduling::kNow);
    ASSERT_EQ(fitting,
              std::set<std::string_view>(shuffled.node_names.begin(), shuffled.node_names.end()))
        << "seed " << seed;
  }
}

TEST(ExtenderProperties, PrioritizeRanksFrom0To10AndOrderDoesNotMatter) {
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    std::mt19937 random(seed);
    ExtenderUnderTest berth(RandomNodes(random, 40));
    ExtenderArgs args{.pod = RandomPod(random)};
    std::vector<std::string> names;
    for (int i = 0; i < 45; ++i) names.push_back("n" + std::to_string(i));
    args.node_names.assign(names.begin(), names.end());
    const auto rank_by_name = [&] {
      const std::vector<std::int64_t> ranks =
          berth.placer->Prioritize(args, policies::scheduling::kNow);
      std::map<std::string_view, std::int64_t> by_name;
      for (std::size_t i = 0; i < ranks.size(); ++i) by_name[args.node_names[i]] = ranks[i];
      return by_name;
    };
    const auto ranks = rank_by_name();
    ASSERT_EQ(ranks.size(), names.size());
    for (const auto& [name, rank] : ranks) {
      ASSERT_TRUE(rank >= 0 && rank <= policies::scheduling::kMaxRank) << name << ", seed " << seed;
    }
    std::shuffle(args.node_names.begin(), args.node_names.end(), random);
    ASSERT_EQ(rank_by_name(), ranks) << "seed " << seed;
  }
}

TEST(ExtenderProperties, BestOfWhatFilterKeptHasTheHighestRank) {
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    std::mt19937 random(seed);
    ExtenderUnderTest berth(RandomNodes(random, 40));
    ExtenderArgs args{.pod = RandomPod(random)};
    std::vector<std::string> names;
    for (int i = 0; i < 40; ++i) names.push_back("n" + std::to_string(i));
    args.node_names.assign(names.begin(), names.end());
    args.node_names = berth.placer->Filter(args, policies::scheduling::kNow).node_names;
    if (args.node_names.empty()) continue;
    const std::vector<std::int64_t> ranks =
        berth.placer->Prioritize(args, policies::scheduling::kNow);
    ASSERT_EQ(*std::max_element(ranks.begin(), ranks.end()), policies::scheduling::kMaxRank);
  }
}

}  // namespace
}  // namespace berth::extender
