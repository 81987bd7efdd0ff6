// What must hold for every pod and every node, tried on seeded random ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "policies/scheduling/engine.h"
#include "policies/scheduling/rank.h"
#include "tests/unit/policies/fixtures.h"
#include "tests/unit/policies/world.h"

namespace berth::policies::scheduling {
namespace {

constexpr int kRounds = 300;
class EngineProperties : public testing::Test {
 protected:
  PreparedPod Prepare(const World& world, model::Time now) {
    return engine_.Prepare(world.pod, FixedView(world.nodes), now);
  }

  const SchedulingEngine engine_{Catalog(), "berth.dev", SchedulingConfig{}};
};

bool Same(const DatedJudgement& a, const DatedJudgement& b) {
  return a.fits == b.fits && a.reason == b.reason && a.would_refuse == b.would_refuse &&
         a.score == b.score && a.last == b.last && a.since == b.since &&
         a.valid_until == b.valid_until;
}

bool IsBetter(const Judgement& a, const Judgement& b) {
  if (a.fits != b.fits) return a.fits;
  if (a.last != b.last) return b.last;
  return a.score > b.score;
}

TEST_F(EngineProperties, SameAnswerForTheSameViewAndTime) {
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    const World world(seed);
    const PreparedPod first = Prepare(world, kNow);
    const PreparedPod second = Prepare(world, kNow);
    for (const auto& node : world.nodes) {
      ASSERT_TRUE(Same(first.Judge(node), second.Judge(node))) << "seed " << seed;
    }
  }
}

// A node of the snapshot has a digest of its conditions, one that a test makes has none.
TEST_F(EngineProperties, SameAnswerWithADigestOfTheConditionsAsWithout) {
  SchedulingConfig stale;
  std::get<PolicySettings<HealthPolicy>>(stale.policies.all).config.stale_after =
      model::Duration{300};
  const SchedulingEngine engines[] = {{Catalog(), "berth.dev", SchedulingConfig{}},
                                      {Catalog(), "berth.dev", stale}};
  int with_reasons = 0;
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    const World world(seed);
    const auto now = kNow + model::Duration{static_cast<std::int64_t>(seed % 10) * 300};
    const PreparedPod prepared = engines[seed % 2].Prepare(world.pod, FixedView(world.nodes), now);
    for (model::NodeState node : world.nodes) {
      const DatedJudgement without = prepared.Judge(node);
      node.digest = model::DigestOf(node.node.conditions);
      ASSERT_TRUE(Same(prepared.Judge(node), without)) << "seed " << seed;
      with_reasons += without.since != model::kNoTime ? 1 : 0;
    }
  }
  EXPECT_GT(with_reasons, 50);
}

TEST_F(EngineProperties, RefusalAlwaysHasAReasonAndFitNeverDoes) {
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    const World world(seed);
    const PreparedPod prepared = Prepare(world, kNow);
    for (const auto& node : world.nodes) {
      const Judgement judgement = prepared.Judge(node);
      ASSERT_EQ(judgement.fits, judgement.reason == kNoReason) << "seed " << seed;
      ASSERT_TRUE(judgement.fits || judgement.score == 0) << "seed " << seed;
    }
  }
}

TEST_F(EngineProperties, RanksAreFrom0To10AndFollowTheJudgementsInAnyOrder) {
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    World world(seed);
    const PreparedPod prepared = Prepare(world, kNow);
    const auto judge_all = [&] {
      std::vector<Judgement> judgements;
      for (const auto& node : world.nodes) judgements.push_back(prepared.Judge(node));
      return judgements;
    };
    std::vector<std::pair<std::string, std::int64_t>> ranked;
    const std::vector<Judgement> judged = judge_all();
    const std::vector<std::int64_t> ranks = Rank(judged);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ASSERT_GE(ranks[i], 0);
      ASSERT_LE(ranks[i], judged[i].fits ? kMaxRank : 0);
      for (std::size_t j = 0; j < ranks.size(); ++j) {
        ASSERT_TRUE(!IsBetter(judged[i], judged[j]) || ranks[i] >= ranks[j]) << "seed " << seed;
        ASSERT_TRUE(judged[i].last || !judged[j].last || !judged[i].fits || !judged[j].fits ||
                    ranks[i] > ranks[j])
            << "seed " << seed;
      }
      ranked.emplace_back(world.nodes[i].node.name, ranks[i]);
    }
    std::shuffle(world.nodes.begin(), world.nodes.end(), std::mt19937(seed));
    const std::vector<std::int64_t> shuffled = Rank(judge_all());
    for (std::size_t i = 0; i < shuffled.size(); ++i) {
      const auto same = std::find_if(ranked.begin(), ranked.end(), [&](const auto& entry) {
        return entry.first == world.nodes[i].node.name;
      });
      ASSERT_EQ(shuffled[i], same->second) << "seed " << seed;
    }
  }
}

TEST_F(EngineProperties, AnswerHoldsUntilItSaysItMayChange) {
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    const World world(seed);
    const PreparedPod prepared = Prepare(world, kNow);
    for (const auto& node : world.nodes) {
      const DatedJudgement judgement = prepared.Judge(node);
      ASSERT_GT(judgement.valid_until, kNow) << "seed " << seed;
      // A horizon beyond every transition and duration that a world has.
      const model::Time last =
          std::min(judgement.valid_until - model::Duration{1}, kNow + std::chrono::hours(1));
      ASSERT_TRUE(Same(judgement, Prepare(world, last).Judge(node))) << "seed " << seed;
    }
  }
}

TEST_F(EngineProperties, EachPolicysVerdictsMakeUpTheJudgement) {
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    const World world(seed);
    const PreparedPod prepared = Prepare(world, kNow);
    if (prepared.refused_everywhere() != kNoReason) continue;
    for (std::size_t i = 0; i < world.nodes.size(); ++i) {
      model::NodeState node = world.nodes[i];
      node.quarantined = i % 7 == 0;
      const Judgement judgement = prepared.Judge(node);
      std::uint32_t sum = 0;
      ReasonId first_refusal = kNoReason;
      for (const auto& [policy, mode, weight, verdict] : prepared.JudgeEach(node)) {
        sum += static_cast<std::uint32_t>(weight) * verdict.score;
        if (!verdict.fits && first_refusal == kNoReason) first_refusal = verdict.reason;
      }
      ASSERT_EQ(judgement.reason, first_refusal) << "seed " << seed;
      ASSERT_EQ(judgement.score, judgement.fits ? sum : 0) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace berth::policies::scheduling
