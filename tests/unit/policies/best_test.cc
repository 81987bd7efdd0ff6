#include "policies/scheduling/best.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::policies::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Judgement kRefused{.fits = false, .reason = 1};

Judgement Scored(std::uint32_t score, bool last = false) { return {.score = score, .last = last}; }

/// "n0", "n1", ...: of as many nodes as there are judgements.
std::vector<std::string> Names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("n" + std::to_string(i));
  return names;
}

std::vector<std::size_t> BestOf(const std::vector<Judgement>& judgements, std::size_t size,
                                std::string_view uid = "uid") {
  const std::vector<std::string> names = Names(judgements.size());
  const std::vector<std::string_view> views(names.begin(), names.end());
  return Best(judgements, views, uid, size);
}

std::uint32_t Below(std::mt19937& random, std::uint32_t end) {
  return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
}

TEST(BestTest, AreTheHighestScoresInTheOrderAsked) {
  EXPECT_THAT(BestOf({Scored(1), Scored(9), Scored(5), Scored(7)}, 2), ElementsAre(1, 3));
  EXPECT_THAT(BestOf({Scored(1), Scored(9), Scored(5), Scored(7)}, 1), ElementsAre(1));
}

TEST(BestTest, LastOnesComeBehindAllOthers) {
  EXPECT_THAT(BestOf({Scored(9000, true), Scored(0), Scored(8000, true)}, 2), ElementsAre(0, 1));
  EXPECT_THAT(BestOf({Scored(9000, true), Scored(0), Scored(8000, true)}, 1), ElementsAre(1));
  EXPECT_THAT(BestOf({Scored(0, true), Scored(1, true)}, 1), ElementsAre(1));
}

TEST(BestTest, WhatDoesNotFitIsNeverAmongThem) {
  EXPECT_THAT(BestOf({kRefused, Scored(1), kRefused, Scored(2)}, 3), ElementsAre(1, 3));
  EXPECT_THAT(BestOf({kRefused, kRefused}, 3), IsEmpty());
  EXPECT_THAT(BestOf({}, 3), IsEmpty());
}

TEST(BestTest, AllWhereThereAreNoMore) {
  EXPECT_THAT(BestOf({Scored(0, true), Scored(3), Scored(3)}, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(BestOf({Scored(0), Scored(0)}, 1000), ElementsAre(0, 1));
}

// Or every pod of a series would look at the same few nodes.
TEST(BestTest, EquallyGoodOnesAreChosenByThePod) {
  const std::vector<Judgement> equal(100, Scored(7));
  std::set<std::size_t> ever;
  for (int pod = 0; pod < 200; ++pod) {
    const auto best = BestOf(equal, 4, "uid-" + std::to_string(pod));
    ASSERT_EQ(best, BestOf(equal, 4, "uid-" + std::to_string(pod)));
    ASSERT_EQ(best.size(), 4U);
    ever.insert(best.begin(), best.end());
  }
  EXPECT_GT(ever.size(), 50U);
}

// What Best promises of any judgements: how many, that no better one is left out, and that neither
// the order of the nodes nor the nodes that do not fit matter.
TEST(BestTest, LeavesNoBetterOneOut) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const std::size_t count = Below(random, 60);
    const std::size_t size = 1 + Below(random, 12);
    std::vector<Judgement> judgements;
    for (std::size_t i = 0; i < count; ++i) {
      judgements.push_back(Below(random, 4) == 0 ? kRefused
                                                 : Scored(Below(random, 6), Below(random, 3) == 0));
    }
    const std::vector<std::size_t> best = BestOf(judgements, size);
    const auto fitting = static_cast<std::size_t>(
        std::count_if(judgements.begin(), judgements.end(), [](auto& each) { return each.fits; }));
    ASSERT_EQ(best.size(), std::min(size, fitting)) << "seed " << seed;
    ASSERT_TRUE(std::is_sorted(best.begin(), best.end()));
    const std::set<std::size_t> chosen(best.begin(), best.end());
    ASSERT_EQ(chosen.size(), best.size());
    const auto key = [&](std::size_t i) {
      return std::pair(!judgements[i].last, judgements[i].score);
    };
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(judgements[i].fits || !chosen.contains(i)) << "seed " << seed;
      if (chosen.contains(i) || !judgements[i].fits) continue;
      for (const std::size_t kept : best) ASSERT_GE(key(kept), key(i)) << "seed " << seed;
    }
  }
}

TEST(BestTest, TheOrderOfTheNodesDoesNotMatter) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::pair<std::string, Judgement>> nodes;
    for (const std::string& name : Names(40)) nodes.emplace_back(name, Scored(Below(random, 3)));
    const auto chosen = [&] {
      std::vector<Judgement> judgements;
      std::vector<std::string_view> names;
      for (const auto& [name, judgement] : nodes) {
        names.push_back(name);
        judgements.push_back(judgement);
      }
      std::set<std::string> best;
      for (const std::size_t i : Best(judgements, names, "uid", 8)) best.insert(nodes[i].first);
      return best;
    };
    const std::set<std::string> first = chosen();
    std::shuffle(nodes.begin(), nodes.end(), random);
    ASSERT_EQ(chosen(), first) << "seed " << seed;
  }
}

}  // namespace
}  // namespace berth::policies::scheduling
