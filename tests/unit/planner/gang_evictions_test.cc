#include "planner/gang_evictions.h"

#include <chrono>

#include "gtest/gtest.h"
#include "planner/doubling.h"

namespace berth::planner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Doubled, WaitsLongerEachTimeUpToALimit) {
  EXPECT_EQ(Doubled(seconds(5), 0, seconds(30)), seconds(5));
  EXPECT_EQ(Doubled(seconds(5), 1, seconds(30)), seconds(10));
  EXPECT_EQ(Doubled(seconds(5), 2, seconds(30)), seconds(20));
  EXPECT_EQ(Doubled(seconds(5), 3, seconds(30)), seconds(30));
  EXPECT_EQ(Doubled(seconds(5), 1'000'000'000, seconds(30)), seconds(30));
  EXPECT_EQ(Doubled(seconds(60), 0, seconds(30)), seconds(30));
}

class Attempts : public ::testing::Test {
 protected:
  /// Tries at once, and says how long after that the next attempt comes.
  EvictionAttempts::Clock::duration PauseAfter(Failure failure) {
    attempts_.OnTried(now_, seconds(300));
    attempts_.OnFailed(failure);
    return *attempts_.due() - now_;
  }

  EvictionAttempts::Clock::time_point now_{std::chrono::hours(1)};
  EvictionAttempts attempts_;
};

TEST_F(Attempts, AreDueAtFirstAndThenAfterThePause) {
  EXPECT_TRUE(attempts_.AreDue(now_));
  attempts_.OnTried(now_, seconds(300));
  EXPECT_FALSE(attempts_.AreDue(now_ + seconds(300) - milliseconds(1)));
  EXPECT_TRUE(attempts_.AreDue(now_ + seconds(300)));
}

TEST_F(Attempts, WithoutAnAnswerComeAgainSoonAndThenLessOften) {
  EXPECT_EQ(PauseAfter(Failure::kNoAnswer), seconds(5));
  EXPECT_EQ(PauseAfter(Failure::kNoAnswer), seconds(10));
  EXPECT_EQ(PauseAfter(Failure::kNoAnswer), seconds(20));
  EXPECT_EQ(PauseAfter(Failure::kNoAnswer), seconds(30));
  EXPECT_EQ(PauseAfter(Failure::kNoAnswer), seconds(30));
}

TEST_F(Attempts, ThatAreRefusedComeAgainLaterAndAnAnswerEndsTheDoubling) {
  EXPECT_EQ(PauseAfter(Failure::kNoAnswer), seconds(5));
  EXPECT_EQ(PauseAfter(Failure::kNoAnswer), seconds(10));
  EXPECT_EQ(PauseAfter(Failure::kBudget), seconds(30));
  EXPECT_EQ(PauseAfter(Failure::kNoAnswer), seconds(5));
  EXPECT_EQ(PauseAfter(Failure::kRefused), seconds(30));
}

TEST_F(Attempts, ThatWereNeverMadeDoNotFail) {
  attempts_.OnFailed(Failure::kBudget);
  EXPECT_FALSE(attempts_.due());
  EXPECT_TRUE(attempts_.AreDue(now_));
}

TEST_F(Attempts, DoNotCountTheTimeInWhichTheClockStoodStill) {
  attempts_.OnTried(now_, seconds(300));
  attempts_.Shift(seconds(60));
  EXPECT_FALSE(attempts_.AreDue(now_ + seconds(360) - milliseconds(1)));
  EXPECT_TRUE(attempts_.AreDue(now_ + seconds(360)));
  attempts_.OnFailed(Failure::kNoAnswer);
  EXPECT_EQ(attempts_.due(), now_ + seconds(65));
}

}  // namespace
}  // namespace berth::planner
