#include "doctor/finding.h"

#include <gtest/gtest.h>

namespace berth::doctor {
namespace {

TEST(Listed, CutsLongListsAndCountsTheRest) {
  EXPECT_EQ(Listed({}), "");
  EXPECT_EQ(Listed({"a"}), "a");
  EXPECT_EQ(Listed({"a", "b"}), "a and b");
  EXPECT_EQ(Listed({"a", "b", "c", "d", "e"}), "a, b, c, d and e");
  EXPECT_EQ(Listed({"a", "b", "c", "d", "e", "f", "g"}), "a, b, c, d, e and 2 more");
}

TEST(Counted, HasAPlural) {
  EXPECT_EQ(Counted(1, "node"), "1 node");
  EXPECT_EQ(Counted(0, "node"), "0 nodes");
}

}  // namespace
}  // namespace berth::doctor
