#include "controller/retries.h"

#include "gtest/gtest.h"

namespace berth::controller {
namespace {

using std::chrono::seconds;

TEST(Retries, WaitsDoubleUpToALimit) {
  Retries retries;
  Retries::Clock::time_point now{seconds(1000)};
  EXPECT_TRUE(retries.IsDue("a", now));
  for (const int wait : {2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
    retries.OnTried("a", now);
    EXPECT_FALSE(retries.IsDue("a", now + seconds(wait) - std::chrono::milliseconds(1))) << wait;
    now += seconds(wait);
    EXPECT_TRUE(retries.IsDue("a", now)) << wait;
  }
  EXPECT_TRUE(retries.IsDue("b", now));
}

TEST(Retries, ForgetsWhatWasNotTriedForLong) {
  Retries retries;
  const Retries::Clock::time_point now{seconds(1000)};
  retries.OnTried("a", now);
  retries.Prune(now + seconds(302));
  EXPECT_EQ(retries.size(), 1U);
  retries.Prune(now + seconds(303));
  EXPECT_EQ(retries.size(), 0U);
}

TEST(Retries, WaitsAsAtFirstAfterWhatIsDone) {
  Retries retries;
  const Retries::Clock::time_point now{seconds(1000)};
  for (int i = 0; i < 5; ++i) retries.OnTried("a", now);
  EXPECT_EQ(retries.DueAt("a"), now + seconds(32));
  for (int i = 0; i < 2; ++i) {
    retries.OnDone("a");
    EXPECT_EQ(retries.DueAt("a"), now + seconds(2)) << "it was tried a moment ago";
  }
  for (const int wait : {2, 4}) {
    retries.OnTried("a", now);
    EXPECT_EQ(retries.DueAt("a"), now + seconds(wait));
  }
  retries.OnDone("never tried");
  EXPECT_EQ(retries.size(), 1U);
  EXPECT_EQ(retries.DueAt("never tried"), Retries::Clock::time_point::min());
}

}  // namespace
}  // namespace berth::controller
