#include "server/rate_limiter.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

using std::chrono::seconds;

TEST(RateLimiterTest, LetsOneThroughPerIntervalAndCountsTheOthers) {
  const RateLimiter::Clock::time_point start;
  RateLimiter limiter(seconds(10));
  EXPECT_EQ(limiter.Admit(start), 0U);
  EXPECT_EQ(limiter.Admit(start), std::nullopt);
  EXPECT_EQ(limiter.Admit(start + seconds(9)), std::nullopt);
  EXPECT_EQ(limiter.Admit(start + seconds(10)), 2U);
  EXPECT_EQ(limiter.Admit(start + seconds(19)), std::nullopt);
  EXPECT_EQ(limiter.Admit(start + seconds(60)), 1U);
  EXPECT_EQ(limiter.Admit(start + seconds(70)), 0U);
}

TEST(RateLimiterTest, LetsABurstThroughAfterARest) {
  const RateLimiter::Clock::time_point start;
  RateLimiter limiter(seconds(10), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.Admit(start), 0U) << i;
  EXPECT_EQ(limiter.Admit(start), std::nullopt);
  EXPECT_EQ(limiter.Admit(start + seconds(9)), std::nullopt);
  EXPECT_EQ(limiter.Admit(start + seconds(10)), 2U);
  EXPECT_EQ(limiter.Admit(start + seconds(10)), std::nullopt);
  const auto rested = start + seconds(1000);
  EXPECT_EQ(limiter.Admit(rested), 1U);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(limiter.Admit(rested), 0U) << i;
  EXPECT_EQ(limiter.Admit(rested), std::nullopt);
}

}  // namespace
}  // namespace berth::server
