#include "extender/shortlisted_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/policies/fixtures.h"

namespace berth::extender {
namespace {

using policies::scheduling::kNow;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr model::Duration kSecond{1};

TEST(ShortlistedPods, KnowsThePodsThatItHasSeen) {
  ShortlistedPods pods;
  EXPECT_FALSE(pods.AskedAgain("a", kNow));
  EXPECT_FALSE(pods.AskedAgain("b", kNow));
  EXPECT_TRUE(pods.AskedAgain("a", kNow));
  EXPECT_TRUE(pods.AskedAgain("b", kNow + kSecond));
}

TEST(ShortlistedPods, ForgetsThemAfterAWhile) {
  ShortlistedPods pods;
  EXPECT_FALSE(pods.AskedAgain("a", kNow));
  EXPECT_TRUE(pods.AskedAgain("a", kNow + ShortlistedPods::kSoon - kSecond));
  EXPECT_TRUE(pods.AskedAgain("a", kNow + 2 * ShortlistedPods::kSoon - 2 * kSecond))
      << "which counts from the last time";
  EXPECT_FALSE(pods.AskedAgain("a", kNow + 3 * ShortlistedPods::kSoon));
}

TEST(ShortlistedPods, ForgetsTheOldestOfTooMany) {
  ShortlistedPods pods(3);
  for (const char* uid : {"a", "b", "c"}) EXPECT_FALSE(pods.AskedAgain(uid, kNow));
  EXPECT_TRUE(pods.AskedAgain("a", kNow + kSecond));  // its first answer makes way
  EXPECT_FALSE(pods.AskedAgain("d", kNow + kSecond));
  EXPECT_TRUE(pods.AskedAgain("a", kNow + 2 * kSecond));
  EXPECT_FALSE(pods.AskedAgain("b", kNow + 2 * kSecond));
}

TEST(ShortlistedPods, AClockThatIsSetBackForgetsNobody) {
  ShortlistedPods pods;
  EXPECT_FALSE(pods.AskedAgain("a", kNow));
  EXPECT_TRUE(pods.AskedAgain("a", kNow - std::chrono::hours(1)));
  EXPECT_TRUE(pods.AskedAgain("a", kNow));
}

TEST(ShortlistedPods, KnowTheOnlyNodeOnceItHasFailed) {
  ShortlistedPods pods;
  const std::vector<std::string_view> names = {"n1", "n2", "n3"};
  pods.AskedAgain("a", kNow);
  pods.SetOnlyNode("a", "n2");
  EXPECT_THAT(pods.PlacesThatFailed("a", names), IsEmpty()) << "it is on its way there";
  pods.AskedAgain("a", kNow + kSecond);
  EXPECT_THAT(pods.PlacesThatFailed("a", names), ElementsAre(1));
  EXPECT_THAT(pods.PlacesThatFailed("b", names), IsEmpty());
  pods.AskedAgain("b", kNow + kSecond);  // of several nodes
  pods.AskedAgain("b", kNow + kSecond);
  EXPECT_THAT(pods.PlacesThatFailed("b", names), IsEmpty());
}

// Of tools, and of pods that do not exist.
TEST(ShortlistedPods, TakesPodsWithoutUidForDifferentOnes) {
  ShortlistedPods pods;
  EXPECT_FALSE(pods.AskedAgain("", kNow));
  EXPECT_FALSE(pods.AskedAgain("", kNow));
}

TEST(ShortlistedPods, StaysSmall) {
  ShortlistedPods pods(100);
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_FALSE(pods.AskedAgain(std::to_string(i), kNow + i * kSecond));
    EXPECT_EQ(pods.AskedAgain("again", kNow + i * kSecond), i > 0);
  }
}

}  // namespace
}  // namespace berth::extender
