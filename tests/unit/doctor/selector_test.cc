#include "doctor/selector.h"

#include <gtest/gtest.h>

namespace berth::doctor {
namespace {

const model::StringMap kLabels = {{"cores", "64"}, {"zone", "a"}};

TEST(Selector, AnEmptySelectorTakesEverything) {
  EXPECT_TRUE(Matches(LabelSelector(), kLabels));
  EXPECT_TRUE(Matches(LabelSelector{.labels = {{"zone", "a"}}}, kLabels));
  EXPECT_FALSE(Matches(LabelSelector{.labels = {{"zone", "b"}}}, kLabels));
  EXPECT_FALSE(Matches(
      LabelSelector{.labels = {{"zone", "a"}}, .expressions = {{"zone", "DoesNotExist", {}}}},
      kLabels));
}

}  // namespace
}  // namespace berth::doctor
