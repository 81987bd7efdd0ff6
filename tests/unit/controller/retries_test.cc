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
  retries.OnTried("a", now);
  retries.OnTried("b", now);
  retries.ForgetDone({}, now + seconds(1));
  EXPECT_FALSE(retries.IsDue("a", now + seconds(1))) << "it was tried a moment ago";
  const Retries::Clock::time_point due = now + seconds(2);
  retries.ForgetDone({"b"}, due);
  EXPECT_EQ(retries.size(), 1U);
  for (const char* key : {"a", "b"}) retries.OnTried(key, due);
  EXPECT_TRUE(retries.IsDue("a", due + seconds(2)));
  EXPECT_FALSE(retries.IsDue("b", due + seconds(2))) << "the first try had no effect";
}

}  // namespace
}  // namespace berth::controller
