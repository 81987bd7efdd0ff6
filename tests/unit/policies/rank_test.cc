#include "policies/scheduling/rank.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

using Ranks = std::vector<std::int64_t>;

Judgement Fits(std::uint32_t score) { return {.score = score}; }
Judgement Last(std::uint32_t score) { return {.score = score, .last = true}; }
Judgement Refused() { return {.fits = false, .reason = 1}; }

Ranks RanksOf(const std::vector<Judgement>& judgements) { return Rank(judgements); }

Ranks RanksOfScores(const std::vector<std::uint32_t>& scores) {
  std::vector<Judgement> judgements;
  for (const std::uint32_t score : scores) judgements.push_back(Fits(score));
  return Rank(judgements);
}

TEST(Rank, IsRelativeToTheRequest) {
  EXPECT_EQ(RanksOfScores({}), Ranks{});
  EXPECT_EQ(RanksOfScores({7}), Ranks{10});
  EXPECT_EQ(RanksOfScores({5, 5, 5}), (Ranks{10, 10, 10}));
  EXPECT_EQ(RanksOfScores({0, 50, 100}), (Ranks{0, 5, 10}));
  EXPECT_EQ(RanksOfScores({1000, 1049, 1050, 2000}), (Ranks{0, 0, 1, 10}));
  EXPECT_EQ(RanksOfScores({0, 4294967295u}), (Ranks{0, 10}));
}

TEST(Rank, OfSomeIsOnTheScaleOfAll) {
  RankScale scale;
  for (const Judgement& each : {Fits(100), Fits(150), Fits(300), Refused()}) scale.Add(each);
  EXPECT_EQ(scale.RankOf(Fits(300)), 10);
  EXPECT_EQ(scale.RankOf(Fits(150)), 3);
  EXPECT_EQ(scale.RankOf(Refused()), 0);
}

TEST(Rank, WorthIsScoreBehindWhetherItComesLast) {
  EXPECT_GT(WorthOf(Fits(2)), WorthOf(Fits(1)));
  EXPECT_GT(WorthOf(Last(2)), WorthOf(Last(1)));
  EXPECT_GT(WorthOf(Fits(0)), WorthOf(Last(4294967295u)));
}

TEST(Rank, WhatDoesNotFitGetsZeroAndDoesNotStretchTheScale) {
  EXPECT_EQ(RanksOf({Refused(), Fits(100), Fits(200)}), (Ranks{0, 0, 10}));
  EXPECT_EQ(RanksOf({Fits(100), Refused(), Fits(100)}), (Ranks{10, 0, 10}));
  EXPECT_EQ(RanksOf({Refused(), Refused()}), (Ranks{0, 0}));
}

TEST(Rank, LastIsBehindAllOthersWhateverItsScore) {
  EXPECT_EQ(RanksOf({Last(9000), Fits(1), Fits(1000)}), (Ranks{0, 1, 10}));
  EXPECT_EQ(RanksOf({Last(9000), Fits(0), Fits(50), Fits(100)}), (Ranks{0, 1, 6, 10}));
  EXPECT_EQ(RanksOf({Last(1), Last(9000), Fits(7)}), (Ranks{0, 0, 10}));
}

TEST(Rank, WhereAllAreLastTheirScoresCount) {
  EXPECT_EQ(RanksOf({Last(100), Last(200), Refused()}), (Ranks{0, 10, 0}));
  EXPECT_EQ(RanksOf({Last(100), Last(100)}), (Ranks{10, 10}));
}

// The table of docs/scheduling.md.
TEST(Rank, OfTheExampleInTheDocs) {
  const SchedulingEngine engine(Catalog(), "berth.dev", SchedulingConfig{});
  std::vector<model::NodeState> nodes = {
      GpuNode("a30", "NVIDIA-A30", 6), GpuNode("started", "Tesla-V100-SXM2-32GB", 8),
      GpuNode("empty", "Tesla-V100-SXM2-32GB", 8), GpuNode("a100", "NVIDIA-A100-SXM4-40GB", 4)};
  nodes[0].used.Set(kGpu, 5);
  nodes[1].used.Set(kGpu, 6);
  nodes[3].used.Set(kGpu, 3);
  const PreparedPod prepared = engine.Prepare(PodAskingFor(kGpu, 1), FixedView(nodes), kNow);
  std::vector<Judgement> judgements;
  std::vector<std::uint32_t> sums;
  for (const auto& node : nodes) {
    judgements.push_back(prepared.Judge(node));
    sums.push_back(judgements.back().score);
  }
  EXPECT_EQ(sums, (std::vector<std::uint32_t>{10'600, 10'500, 9'126, 9'000}));
  EXPECT_EQ(Rank(judgements), (Ranks{10, 9, 1, 0}));
}

}  // namespace
}  // namespace berth::policies::scheduling
