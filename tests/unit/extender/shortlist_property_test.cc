// What a shortlist must never change, on random clusters: which pods find a node, why they do not,
// and that no better node is left out.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/extender/fixtures.h"
#include "tests/unit/policies/world.h"

namespace berth::extender {
namespace {

using policies::scheduling::Judgement;
using policies::scheduling::World;

constexpr std::uint32_t kShortlistRounds = 200;

/// The cluster of a world, with and without a shortlist.
struct Pair {
  ExtenderUnderTest full;
  ExtenderUnderTest shortened;

  Pair(const World& world, std::int32_t size)
      : full(world.nodes), shortened(world.nodes, {}, {.size = size, .default_spreading = false}) {
    for (const model::NodeState& node : world.nodes) Fill(node);
  }

 private:
  void Fill(const model::NodeState& node) {
    model::Pod pod = policies::scheduling::PodAskingFor(policies::scheduling::kGpu,
                                                        node.used.Get(policies::scheduling::kGpu));
    pod.name = "on-" + node.node.name;
    pod.node_name = node.node.name;
    full.snapshot.UpsertPod(pod);
    shortened.snapshot.UpsertPod(pod);
  }
};

std::map<std::string_view, Judgement> Judge(const ExtenderUnderTest& berth, const model::Pod& pod) {
  const cluster::Snapshot::Reader view = berth.snapshot.Read();
  const policies::scheduling::PreparedPod prepared =
      berth.engine->Prepare(pod, view, policies::scheduling::kNow);
  std::map<std::string_view, Judgement> judgements;
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    judgements[view.At(i)->node.name] = prepared.Judge(*view.At(i));
  }
  return judgements;
}

void ExpectSameFailures(const FilterResult& a, const FilterResult& b) {
  const auto texts = [](const std::vector<FailedNode>& nodes) {
    std::map<std::string_view, std::string_view> by_name;
    for (const FailedNode& node : nodes) by_name[node.name] = node.reason;
    return by_name;
  };
  EXPECT_EQ(texts(a.failed), texts(b.failed));
  EXPECT_EQ(texts(a.unresolvable), texts(b.unresolvable));
}

TEST(ShortlistProperties, IsTheBestPartOfTheFullAnswer) {
  int shortened_ones = 0;
  int without_any = 0;
  for (std::uint32_t seed = 0; seed < kShortlistRounds; ++seed) {
    SCOPED_TRACE(seed);
    const World world(seed);
    const auto size = static_cast<std::size_t>(1 + seed % 10);
    Pair berth(world, static_cast<std::int32_t>(size));
    ExtenderArgs args{.pod = world.pod};
    for (const model::NodeState& node : world.nodes) args.node_names.push_back(node.node.name);
    const FilterResult all = berth.full.placer->Filter(args, policies::scheduling::kNow);
    const FilterResult best = berth.shortened.placer->Filter(args, policies::scheduling::kNow);

    ASSERT_EQ(best.node_names.size(), std::min(size, all.node_names.size()));
    ExpectSameFailures(all, best);
    const std::set<std::string_view> chosen(best.node_names.begin(), best.node_names.end());
    // A subset in the same order.
    std::vector<std::string_view> rest = all.node_names;
    std::erase_if(rest, [&](std::string_view name) { return !chosen.contains(name); });
    ASSERT_EQ(rest, best.node_names);

    const auto judgements = Judge(berth.full, args.pod);
    const auto worth = [&](std::string_view name) {
      return std::pair(!judgements.at(name).last, judgements.at(name).score);
    };
    for (const std::string_view name : all.node_names) {
      if (chosen.contains(name)) continue;
      for (const std::string_view kept : chosen) ASSERT_GE(worth(kept), worth(name));
    }
    shortened_ones += best.node_names.size() < all.node_names.size() ? 1 : 0;
    without_any += all.node_names.empty() ? 1 : 0;
  }
  EXPECT_GT(shortened_ones, 20);
  EXPECT_GT(without_any, 5);
}

}  // namespace
}  // namespace berth::extender
