#include "cluster/pool_counts.h"

#include <vector>

#include "gtest/gtest.h"

namespace berth::cluster {
namespace {

using model::Condition;
using model::ConditionShare;
using model::ConditionStatus;
using model::Duration;
using model::PastStatus;
using model::Time;

constexpr Time kNow{Duration{1'800'000'000}};
constexpr Time kNeverStale = Time::min();
constexpr Duration kLong{60};

Condition Lost(ConditionStatus status, Time heartbeat = kNow) {
  return {.type = "GPUIsLost", .status = status, .last_heartbeat = heartbeat};
}

// What Berth remembers of GPUIsLost, which had the status for so long and was not said to lose it.
PastStatus WasLost(ConditionStatus status, Duration length) {
  return {
      .type = "GPUIsLost", .since = kNow - length, .until = kNow, .status = status, .lasts = true};
}

TEST(PoolCountsTest, CountNodesByAccelerator) {
  PoolCounts pools;
  EXPECT_EQ(pools.Nodes(7), 0u);
  pools.Add(7, {}, {});
  pools.Add(7, {}, {});
  pools.Add(2, {}, {});
  pools.Add(model::AcceleratorCatalog::kNone, {Lost(ConditionStatus::kTrue)}, {});
  EXPECT_EQ(pools.Nodes(7), 2u);
  EXPECT_EQ(pools.Nodes(2), 1u);
  EXPECT_EQ(pools.Nodes(model::AcceleratorCatalog::kNone), 0u);
  pools.Remove(7, {}, {});
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
  pools.Add(0, {Lost(ConditionStatus::kTrue, kNow)}, {});
  pools.Add(0, {Lost(ConditionStatus::kTrue, kNow - Duration{60})}, {});
  pools.Add(0, {Lost(ConditionStatus::kFalse, kNow - Duration{60})}, {});
  pools.Add(0, {Lost(ConditionStatus::kUnknown, kNow)}, {});
  pools.Add(0, {Lost(ConditionStatus::kTrue, model::kNoTime)}, {});  // never stale
  const auto share = [&](Time stale_before) {
    return pools.NodesWith(0, "GPUIsLost", ConditionStatus::kTrue, stale_before, kLong);
  };
  EXPECT_EQ(share(kNeverStale), (ConditionShare{.bad = 3, .unknown = 1}));
  EXPECT_EQ(share(kNow - Duration{60}), (ConditionShare{.bad = 3, .unknown = 1}));
  // What is True stays True: whoever says so may have died of it.
  EXPECT_EQ(share(kNow - Duration{59}), (ConditionShare{.bad = 3, .unknown = 2}));
  EXPECT_EQ(share(model::kForever), (ConditionShare{.bad = 3, .unknown = 2}));
  EXPECT_EQ(pools.NodesWith(0, "Other", ConditionStatus::kTrue, kNeverStale, kLong),
            ConditionShare{});
  EXPECT_EQ(pools.NodesWith(1, "GPUIsLost", ConditionStatus::kTrue, kNeverStale, kLong),
            ConditionShare{});
}

TEST(PoolCountsTest, TellTheSameOfTypesThatAreBadWhenFalse) {
  PoolCounts pools;
  pools.Add(0, {Lost(ConditionStatus::kFalse, kNow - Duration{60})}, {});
  pools.Add(0, {Lost(ConditionStatus::kTrue, kNow)}, {});
  pools.Add(0, {Lost(ConditionStatus::kTrue, kNow - Duration{60})}, {});
  pools.Add(0, {Lost(ConditionStatus::kUnknown, kNow)}, {});
  const auto share = [&](Time stale_before) {
    return pools.NodesWith(0, "GPUIsLost", ConditionStatus::kFalse, stale_before, kLong);
  };
  EXPECT_EQ(share(kNeverStale), (ConditionShare{.bad = 1, .unknown = 1}));
  EXPECT_EQ(share(kNow), (ConditionShare{.bad = 1, .unknown = 2}));
  pools.Remove(0, {Lost(ConditionStatus::kTrue, kNow - Duration{60})}, {});
  EXPECT_EQ(share(kNow), (ConditionShare{.bad = 1, .unknown = 1}));
}

TEST(PoolCountsTest, TellWhatWasBadForLongBeforeItBecameUnknown) {
  const std::vector<Condition> unknown = {Lost(ConditionStatus::kUnknown)};
  const std::vector<PastStatus> an_hour = {WasLost(ConditionStatus::kTrue, Duration{3600})};
  PoolCounts pools;
  pools.Add(0, unknown, {});
  pools.Add(0, unknown, {WasLost(ConditionStatus::kTrue, Duration{59})});
  pools.Add(0, unknown, {WasLost(ConditionStatus::kTrue, Duration{60})});
  pools.Add(0, unknown, an_hour);
  pools.Add(0, unknown, {WasLost(ConditionStatus::kFalse, Duration{3600})});
  pools.Add(0, {Lost(ConditionStatus::kTrue)}, an_hour);
  pools.Add(0, {Lost(ConditionStatus::kFalse)}, an_hour);
  pools.Add(1, unknown, an_hour);
  const auto share = [&](ConditionStatus bad, Duration long_bad) {
    return pools.NodesWith(0, "GPUIsLost", bad, kNeverStale, long_bad);
  };
  const auto expect_was_true = [&](Duration long_bad, std::size_t nodes) {
    EXPECT_EQ(share(ConditionStatus::kTrue, long_bad),
              (ConditionShare{.bad = 1, .unknown = 5, .was_bad = nodes}))
        << long_bad.count();
  };
  expect_was_true(Duration{59}, 3);
  expect_was_true(Duration{60}, 2);
  expect_was_true(Duration{61}, 1);
  expect_was_true(Duration{3600}, 1);
  expect_was_true(Duration{3601}, 0);
  EXPECT_EQ(share(ConditionStatus::kFalse, kLong),
            (ConditionShare{.bad = 1, .unknown = 5, .was_bad = 1}));
  pools.Remove(0, unknown, an_hour);
  EXPECT_EQ(share(ConditionStatus::kTrue, kLong),
            (ConditionShare{.bad = 1, .unknown = 4, .was_bad = 1}));
}

// A condition that was well for a moment only may be either; see RememberStatus(). What has ceased
// is neither, nor is what another type was.
TEST(PoolCountsTest, TellOfEachTypeAllThatItMayBe) {
  PastStatus over = WasLost(ConditionStatus::kTrue, Duration{3600});
  over.lasts = false;
  PastStatus other = WasLost(ConditionStatus::kTrue, Duration{3600});
  other.type = "Other";
  const std::vector<Condition> unknown = {Lost(ConditionStatus::kUnknown)};
  PoolCounts pools;
  pools.Add(0, unknown, {over, other});
  pools.Add(0, unknown,
            {WasLost(ConditionStatus::kTrue, Duration{3600}),
             WasLost(ConditionStatus::kFalse, Duration{61})});
  for (const auto bad : {ConditionStatus::kTrue, ConditionStatus::kFalse}) {
    EXPECT_EQ(pools.NodesWith(0, "GPUIsLost", bad, kNeverStale, kLong),
              (ConditionShare{.unknown = 2, .was_bad = 1}));
  }
  EXPECT_EQ(pools.NodesWith(0, "Other", ConditionStatus::kTrue, kNeverStale, kLong),
            ConditionShare{});
}

TEST(PoolCountsTest, OfOneTypeTheFirstConditionOfANodeCounts) {
  PoolCounts pools;
  const std::vector<Condition> conditions = {
      Lost(ConditionStatus::kFalse), Lost(ConditionStatus::kTrue), Lost(ConditionStatus::kUnknown)};
  pools.Add(0, conditions, {});
  EXPECT_EQ(pools.NodesWith(0, "GPUIsLost", ConditionStatus::kTrue, kNeverStale, kLong),
            ConditionShare{});
  pools.Remove(0, conditions, {});
  pools.Add(0, {Lost(ConditionStatus::kTrue)}, {});
  EXPECT_EQ(pools.NodesWith(0, "GPUIsLost", ConditionStatus::kTrue, kNeverStale, kLong),
            (ConditionShare{.bad = 1}));
}

}  // namespace
}  // namespace berth::cluster
