#include "cluster/pool_counts.h"

#include <vector>

#include "gtest/gtest.h"

namespace berth::cluster {
namespace {

using model::Condition;
using model::ConditionShare;
using model::ConditionStatus;
using model::Duration;
using model::Time;

constexpr Time kNow{Duration{1'800'000'000}};
constexpr Time kNeverStale = Time::min();

Condition Lost(ConditionStatus status, Time heartbeat = kNow) {
  return {.type = "GPUIsLost", .status = status, .last_heartbeat = heartbeat};
}

TEST(PoolCountsTest, CountNodesByAccelerator) {
  PoolCounts pools;
  EXPECT_EQ(pools.Nodes(7), 0u);
  pools.Add(7, {});
  pools.Add(7, {});
  pools.Add(2, {});
  pools.Add(model::AcceleratorCatalog::kNone, {Lost(ConditionStatus::kTrue)});
  EXPECT_EQ(pools.Nodes(7), 2u);
  EXPECT_EQ(pools.Nodes(2), 1u);
  EXPECT_EQ(pools.Nodes(model::AcceleratorCatalog::kNone), 0u);
  pools.Remove(7, {});
  EXPECT_EQ(pools.Nodes(7), 1u);
}

// Two nodes may name the same owner, and a node several.
TEST(PoolCountsTest, KnowWhomAnyNodeAvoids) {
  const model::StringMap both = {
      {"berth.dev/avoid", "job-1=2026-01-31T12:00:00Z,job-2=2026-01-31T12:00:00Z"}};
  const model::StringMap one = {{"berth.dev/avoid", "job-1=2026-01-31T12:00:00Z,nonsense"}};
  PoolCounts pools;
  EXPECT_FALSE(pools.IsAvoided("job-1"));
  pools.AddAvoided(both);
  pools.AddAvoided(one);
  pools.RemoveAvoided(both);
  EXPECT_TRUE(pools.IsAvoided("job-1"));
  EXPECT_FALSE(pools.IsAvoided("job-2"));
  pools.RemoveAvoided(one);
  EXPECT_FALSE(pools.IsAvoided("job-1"));
}

TEST(PoolCountsTest, TellWhatWouldBeStale) {
  PoolCounts pools;
  pools.Add(0, {Lost(ConditionStatus::kTrue, kNow)});
  pools.Add(0, {Lost(ConditionStatus::kTrue, kNow - Duration{60})});
  pools.Add(0, {Lost(ConditionStatus::kFalse, kNow - Duration{60})});
  pools.Add(0, {Lost(ConditionStatus::kUnknown, kNow)});
  pools.Add(0, {Lost(ConditionStatus::kTrue, model::kNoTime)});  // never stale
  const auto share = [&](Time stale_before) {
    return pools.NodesWith(0, "GPUIsLost", ConditionStatus::kTrue, stale_before);
  };
  EXPECT_EQ(share(kNeverStale), (ConditionShare{.bad = 3, .unknown = 1}));
  EXPECT_EQ(share(kNow - Duration{60}), (ConditionShare{.bad = 3, .unknown = 1}));
  // What is True stays True: whoever says so may have died of it.
  EXPECT_EQ(share(kNow - Duration{59}), (ConditionShare{.bad = 3, .unknown = 2}));
  EXPECT_EQ(share(model::kForever), (ConditionShare{.bad = 3, .unknown = 2}));
  EXPECT_EQ(pools.NodesWith(0, "Other", ConditionStatus::kTrue, kNeverStale), ConditionShare{});
  EXPECT_EQ(pools.NodesWith(1, "GPUIsLost", ConditionStatus::kTrue, kNeverStale), ConditionShare{});
}

TEST(PoolCountsTest, TellTheSameOfTypesThatAreBadWhenFalse) {
  PoolCounts pools;
  pools.Add(0, {Lost(ConditionStatus::kFalse, kNow - Duration{60})});
  pools.Add(0, {Lost(ConditionStatus::kTrue, kNow)});
  pools.Add(0, {Lost(ConditionStatus::kTrue, kNow - Duration{60})});
  pools.Add(0, {Lost(ConditionStatus::kUnknown, kNow)});
  const auto share = [&](Time stale_before) {
    return pools.NodesWith(0, "GPUIsLost", ConditionStatus::kFalse, stale_before);
  };
  EXPECT_EQ(share(kNeverStale), (ConditionShare{.bad = 1, .unknown = 1}));
  EXPECT_EQ(share(kNow), (ConditionShare{.bad = 1, .unknown = 2}));
  pools.Remove(0, {Lost(ConditionStatus::kTrue, kNow - Duration{60})});
  EXPECT_EQ(share(kNow), (ConditionShare{.bad = 1, .unknown = 1}));
}

TEST(PoolCountsTest, OfOneTypeTheFirstConditionOfANodeCounts) {
  PoolCounts pools;
  const std::vector<Condition> conditions = {
      Lost(ConditionStatus::kFalse), Lost(ConditionStatus::kTrue), Lost(ConditionStatus::kUnknown)};
  pools.Add(0, conditions);
  EXPECT_EQ(pools.NodesWith(0, "GPUIsLost", ConditionStatus::kTrue, kNeverStale), ConditionShare{});
  pools.Remove(0, conditions);
  pools.Add(0, {Lost(ConditionStatus::kTrue)});
  EXPECT_EQ(pools.NodesWith(0, "GPUIsLost", ConditionStatus::kTrue, kNeverStale),
            (ConditionShare{.bad = 1}));
}

}  // namespace
}  // namespace berth::cluster
