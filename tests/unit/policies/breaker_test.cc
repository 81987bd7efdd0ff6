#include "policies/scheduling/breaker.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "policies/scheduling/engine.h"
#include "policies/scheduling/health.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

using model::Condition;
using model::ConditionStatus;
using model::Duration;
using std::chrono::minutes;

constexpr std::size_t kPool = 20;

HealthCondition Entry(Effect effect, std::vector<std::string> resources = {}) {
  return {"GPUIsLost", effect, Duration{0}, Duration{0}, std::move(resources)};
}

Condition Lost(ConditionStatus status, Duration heard = Duration{0}) {
  return {"GPUIsLost", status, kNow - minutes(60), kNow - heard};
}

// What Berth remembers of a condition that was True for so long when it became Unknown.
std::vector<model::PastStatus> TrueBefore(Duration length) {
  return {{.type = "GPUIsLost",
           .since = kNow - minutes(60) - length,
           .until = kNow - minutes(60),
           .lasts = true}};
}

// `count` A30 nodes with one condition each; its first `affected` nodes have `condition`, which was
// `past` before, the others the same of status False, heard of now.
std::vector<model::NodeState> Pool(std::size_t count, std::size_t affected,
                                   const Condition& condition,
                                   const std::vector<model::PastStatus>& past = {}) {
  std::vector<model::NodeState> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    nodes.push_back(GpuNode("a30-" + std::to_string(i), "NVIDIA-A30"));
    nodes.back().node.conditions = {i < affected ? condition : Lost(ConditionStatus::kFalse)};
    if (i < affected) nodes.back().past = past;
  }
  return nodes;
}

struct TripCase {
  std::string name;
  std::size_t nodes = kPool;
  std::size_t affected = 0;
  Condition condition = Lost(ConditionStatus::kTrue);
  double fraction = 0.5;
  Effect effect = Effect::kExclude;
  Effect unknown_status = Effect::kExclude;
  Duration stale_after{0};
  Duration min_duration{0};
  std::vector<model::PastStatus> past = {};
  bool trips = true;
};

class BreakerTable : public testing::TestWithParam<TripCase> {};

TEST_P(BreakerTable, Trips) {
  const TripCase& c = GetParam();
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {Entry(c.effect)};
  config.conditions[0].min_duration = c.min_duration;
  config.unknown_status = c.unknown_status;
  config.stale_after = c.stale_after;
  config.breaker.fraction = c.fraction;
  const FixedView view(Pool(c.nodes, c.affected, c.condition, c.past));
  const auto a30 = Catalog()->IndexOf("A30");
  EXPECT_EQ(IsTripped(config.conditions[0], config, view.Pools(), a30, kNow), c.trips);
  // Other pools have nothing to do with it.
  const auto v100 = Catalog()->IndexOf("V100");
  EXPECT_FALSE(IsTripped(config.conditions[0], config, view.Pools(), v100, kNow));
}

INSTANTIATE_TEST_SUITE_P(
    All, BreakerTable,
    testing::Values(
        TripCase{.name = "OnMoreThanHalf", .affected = 11},
        TripCase{.name = "ButNotOnHalf", .affected = 10, .trips = false},
        TripCase{.name = "OnAll", .affected = kPool}, TripCase{.name = "OnNone", .trips = false},
        TripCase{.name = "ButNotInASmallPool", .nodes = 9, .affected = 9, .trips = false},
        TripCase{.name = "InAPoolJustLargeEnough", .nodes = 10, .affected = 6},
        TripCase{.name = "OnASmallerFraction", .affected = 3, .fraction = 0.1},
        TripCase{.name = "ButNeverAtOne", .affected = kPool, .fraction = 1, .trips = false},
        // Suspect already while it has no effect yet.
        TripCase{.name = "OnAConditionThatPenalises", .affected = 11, .effect = Effect::kPenalize},
        TripCase{.name = "OnUnknownWhereThatExcludes",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kUnknown)},
        TripCase{.name = "ButNotOnUnknownThatPenalises",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kUnknown),
                 .unknown_status = Effect::kPenalize,
                 .trips = false},
        TripCase{.name = "ButNotOnUnknownOfAnEntryThatOnlyPenalises",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kUnknown),
                 .effect = Effect::kPenalize,
                 .trips = false},
        // It keeps its effect.
        TripCase{.name = "OnUnknownThatWasBadForLong",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kUnknown),
                 .unknown_status = Effect::kPenalize,
                 .past = TrueBefore(minutes(1))},
        TripCase{.name = "OnUnknownThatWasBadForLongOfAnEntryThatPenalises",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kUnknown),
                 .effect = Effect::kPenalize,
                 .past = TrueBefore(minutes(1))},
        TripCase{.name = "ButNotOnHalfUnknownThatWasBadForLong",
                 .affected = 10,
                 .condition = Lost(ConditionStatus::kUnknown),
                 .unknown_status = Effect::kPenalize,
                 .past = TrueBefore(minutes(1)),
                 .trips = false},
        TripCase{.name = "AndCountsUnknownThatWasBadOnce",
                 .affected = 10,
                 .condition = Lost(ConditionStatus::kUnknown),
                 .past = TrueBefore(minutes(1)),
                 .trips = false},
        TripCase{.name = "ButNotOnUnknownThatWasBadForAMoment",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kUnknown),
                 .unknown_status = Effect::kPenalize,
                 .past = TrueBefore(std::chrono::seconds(59)),
                 .trips = false},
        TripCase{.name = "OnUnknownThatWasBadForItsMinDuration",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kUnknown),
                 .unknown_status = Effect::kPenalize,
                 .min_duration = minutes(5),
                 .past = TrueBefore(minutes(5))},
        TripCase{.name = "ButNotOnUnknownThatWasBadForLessThanItsMinDuration",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kUnknown),
                 .unknown_status = Effect::kPenalize,
                 .min_duration = minutes(5),
                 .past = TrueBefore(minutes(4)),
                 .trips = false},
        TripCase{.name = "OnStaleWhereThatExcludes",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kFalse, minutes(16)),
                 .stale_after = minutes(15)},
        TripCase{.name = "ButNotBeforeItIsStale",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kFalse, minutes(15)),
                 .stale_after = minutes(15),
                 .trips = false},
        TripCase{.name = "OnStaleTrueThoughUnknownOnlyPenalises",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kTrue, minutes(16)),
                 .unknown_status = Effect::kPenalize,
                 .stale_after = minutes(15)},
        TripCase{.name = "ButNotOnStaleFalseWhereUnknownPenalises",
                 .affected = 11,
                 .condition = Lost(ConditionStatus::kFalse, minutes(16)),
                 .unknown_status = Effect::kPenalize,
                 .stale_after = minutes(15),
                 .trips = false}),
    [](const auto& param) { return param.param.name; });

TEST(IsTripped, CountsWhatIsBadWhenFalse) {
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {Entry(Effect::kExclude)};
  config.conditions[0].bad_status = BadStatus::kFalse;
  const auto a30 = Catalog()->IndexOf("A30");
  const auto trips = [&](std::size_t affected) {
    const FixedView view(Pool(kPool, kPool - affected, Lost(ConditionStatus::kTrue)));
    return IsTripped(config.conditions[0], config, view.Pools(), a30, kNow);
  };
  EXPECT_FALSE(trips(10));
  EXPECT_TRUE(trips(11));
}

TEST(IsTripped, CountsWhatIsStaleByItsOwnMeasure) {
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {Entry(Effect::kExclude)};
  config.unknown_status = Effect::kExclude;
  const FixedView view(Pool(kPool, 11, Lost(ConditionStatus::kFalse, minutes(16))));
  const auto trips = [&](Duration stale_after) {
    config.conditions[0].stale_after = stale_after;
    return IsTripped(config.conditions[0], config, view.Pools(), Catalog()->IndexOf("A30"), kNow);
  };
  EXPECT_TRUE(trips(minutes(15)));
  EXPECT_FALSE(trips(minutes(16)));
  config.stale_after = minutes(1);
  EXPECT_FALSE(trips(Duration{0}));
}

TEST(Breakers, AreOneForEachTypeAndAccelerator) {
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {Entry(Effect::kPenalize),
                       Entry(Effect::kExclude, {"rdma/*"}),
                       {"Other", Effect::kExclude, {}, {}, {}}};
  config.unknown_status = Effect::kExclude;
  const FixedView view(Pool(kPool, 11, Lost(ConditionStatus::kUnknown)));
  const auto breakers = Breakers(config, *Catalog(), view.Pools(), kNow);
  ASSERT_EQ(breakers.size(), 2 * Catalog()->size());
  for (const Breaker& breaker : breakers) {
    const bool is_a30 = (*Catalog())[breaker.accelerator].name == "A30";
    const bool is_lost = breaker.condition == "GPUIsLost";
    EXPECT_EQ(breaker.nodes, is_a30 ? kPool : 0u);
    // The entry that Unknown excludes for counts more nodes than the one that it penalises for.
    EXPECT_EQ(breaker.affected, is_a30 && is_lost ? 11u : 0u) << breaker.condition;
    EXPECT_EQ(breaker.tripped, is_a30 && is_lost) << breaker.condition;
  }
}

// What a pod hears of a node of a pool of which `affected` nodes have lost a GPU, by default.
class BreakerInHealth : public testing::Test {
 protected:
  Verdict Judge(BreakerAction action, std::size_t affected, const model::NodeState& node) {
    return Judge(action, Pool(kPool, affected, Lost(ConditionStatus::kTrue)), node);
  }

  Verdict Judge(BreakerAction action, std::vector<model::NodeState> pool,
                const model::NodeState& node) {
    SchedulingConfig config;
    auto& health = std::get<PolicySettings<HealthPolicy>>(config.policies.all).config;
    health.breaker.action = action;
    const SchedulingEngine engine(Catalog(), "berth.dev", config);
    const FixedView view(std::move(pool));
    const PreparedPod prepared = engine.Prepare(PodAskingFor(kGpu, 1), view, kNow);
    key_ = prepared.key();
    for (const PolicyVerdict& each : prepared.JudgeEach(node)) {
      if (each.policy != HealthPolicy::kName) continue;
      reason_ = engine.reasons()[each.verdict.reason].text;
      return each.verdict;
    }
    ADD_FAILURE() << "health has no opinion";
    return {};
  }

  static model::NodeState LostNode(const std::string& product) {
    model::NodeState node = GpuNode("n", product);
    node.node.conditions = {Lost(ConditionStatus::kTrue)};
    return node;
  }

  std::string key_;
  std::string reason_;
};

TEST_F(BreakerInHealth, AlertLeavesTheEffectAsItIs) {
  EXPECT_FALSE(Judge(BreakerAction::kAlert, kPool, LostNode("NVIDIA-A30")).fits);
  EXPECT_EQ(reason_, "node(s) had condition GPUIsLost");
}

TEST_F(BreakerInHealth, PenalizeExcludesNoNodeOfThePoolAnyMore) {
  EXPECT_FALSE(Judge(BreakerAction::kPenalize, 10, LostNode("NVIDIA-A30")).fits);
  const Verdict tripped = Judge(BreakerAction::kPenalize, 11, LostNode("NVIDIA-A30"));
  EXPECT_TRUE(tripped.fits);
  EXPECT_EQ(tripped.score, 0);
  EXPECT_EQ(reason_, "node(s) had condition GPUIsLost on suspiciously many nodes");
}

// A detector that was wrong about most of a pool cannot look any more.
TEST_F(BreakerInHealth, PenalizeStillExcludesNoNodeWhenTheConditionBecomesUnknown) {
  const auto judge = [this](std::size_t affected) {
    const auto pool =
        Pool(kPool, affected, Lost(ConditionStatus::kUnknown), TrueBefore(minutes(5)));
    return Judge(BreakerAction::kPenalize, pool, pool[0]);
  };
  EXPECT_FALSE(judge(10).fits);
  EXPECT_EQ(reason_, "node(s) had condition GPUIsLost that was True and is Unknown");
  const Verdict tripped = judge(11);
  EXPECT_TRUE(tripped.fits);
  EXPECT_EQ(tripped.score, 0);
  EXPECT_EQ(reason_, "node(s) had condition GPUIsLost on suspiciously many nodes");
}

TEST_F(BreakerInHealth, PenalizeLeavesOtherPoolsAndOtherConditionsAlone) {
  EXPECT_FALSE(Judge(BreakerAction::kPenalize, 11, LostNode("Tesla-V100-SXM2-32GB")).fits);
  EXPECT_FALSE(
      Judge(BreakerAction::kPenalize, 11, LostNode("Tesla-P100-PCIE-16GB")).fits);  // of no pool
  model::NodeState node = LostNode("NVIDIA-A30");
  node.node.conditions.push_back({"DStateProcess", ConditionStatus::kTrue, kNow, kNow});
  EXPECT_FALSE(Judge(BreakerAction::kPenalize, 11, node).fits);
  EXPECT_EQ(reason_, "node(s) had condition DStateProcess");
}

TEST_F(BreakerInHealth, KeyTellsWhetherItChangedTheVerdicts) {
  const auto key = [this](BreakerAction action, std::size_t affected) {
    Judge(action, affected, LostNode("NVIDIA-A30"));
    return key_;
  };
  EXPECT_EQ(key(BreakerAction::kPenalize, 0), key(BreakerAction::kPenalize, 10));
  EXPECT_NE(key(BreakerAction::kPenalize, 10), key(BreakerAction::kPenalize, 11));
  EXPECT_EQ(key(BreakerAction::kPenalize, 11), key(BreakerAction::kPenalize, 20));
  EXPECT_EQ(key(BreakerAction::kAlert, 0), key(BreakerAction::kAlert, 20));
}

}  // namespace
}  // namespace berth::policies::scheduling
