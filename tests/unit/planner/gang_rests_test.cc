#include "planner/gang_rests.h"

#include <chrono>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::planner {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

class GangRest : public ::testing::Test {
 protected:
  std::string Reason() { return rests_.Reason("ml/train", now_, time_).value_or(""); }
  void Fail() { rests_.OnFailed("ml/train", "it was evicted", now_); }
  // How long it rests from now on.
  seconds Length() {
    const auto begin = now_;
    while (!Reason().empty()) Pass(seconds(1));
    return std::chrono::duration_cast<seconds>(now_ - begin);
  }
  void Pass(seconds span) {
    now_ += span;
    time_ += span;
  }

  GangRests rests_;
  GangRests::Clock::time_point now_{std::chrono::hours(1)};
  model::Time time_{std::chrono::seconds(1'795'473'000)};
};

TEST_F(GangRest, OnlyAfterAFailure) {
  EXPECT_EQ(Reason(), "");
  Fail();
  EXPECT_EQ(Reason(), "rests until 2026-11-23T22:30:30Z, because it was evicted");
}

TEST_F(GangRest, BeginsWhenItsPodsAreThereAgain) {
  Fail();
  Pass(minutes(20));
  EXPECT_EQ(Length(), GangRests::kFirst);
}

TEST_F(GangRest, DoublesUpToTheMost) {
  for (const int expected : {30, 60, 120, 240, 480, 600, 600}) {
    Fail();
    EXPECT_EQ(Length(), seconds(expected));
  }
  Fail();
  EXPECT_THAT(Reason(), HasSubstr("because it was evicted, 8 times so far"));
}

TEST_F(GangRest, MayBeShorterAtFirst) {
  for (const int expected : {10, 20, 40, 80, 160, 320, 600, 600}) {
    rests_.OnFailed("ml/train", "it was refused", now_, seconds(10));
    EXPECT_EQ(Length(), seconds(expected));
  }
}

// As an eviction that is tried again and again.
TEST_F(GangRest, GrowsOnceForEachStart) {
  for (int i = 0; i < 5; ++i) Fail();
  EXPECT_EQ(Length(), GangRests::kFirst);
}

TEST_F(GangRest, IsForgottenWhenTheGangRuns) {
  Fail();
  Length();
  rests_.OnRan("ml/train");
  Fail();
  EXPECT_EQ(Length(), GangRests::kFirst);
}

TEST_F(GangRest, IsForgottenLongAfterTheGangIsGone) {
  Fail();
  Length();
  const auto nobody = [](const std::string&) { return false; };
  rests_.Prune(now_ + GangRests::kForget - seconds(1), nobody);
  EXPECT_FALSE(rests_.empty());
  rests_.Prune(now_ + GangRests::kForget, [](const std::string&) { return true; });
  EXPECT_FALSE(rests_.empty());
  rests_.Prune(now_ + GangRests::kForget, nobody);
  EXPECT_TRUE(rests_.empty());
}

}  // namespace
}  // namespace berth::planner
