#include "cli/doctor/finding.h"

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

TEST(ExitCode, IsThatOfTheWorst) {
  const struct {
    Findings findings;
    int code;
  } cases[] = {
      {{}, 0},
      {Ok("well"), 0},
      {Note("so", ""), 0},
      {Warning("costs", "do"), 1},
      {Problem("broken", "do"), 1},
      {Unknown("no right", ""), 2},
  };
  for (const auto& test : cases) EXPECT_EQ(ExitCodeOf(test.findings), test.code);
  Findings both = Unknown("no right", "");
  Append(Problem("broken", "do"), both);
  EXPECT_EQ(ExitCodeOf(both), 1);
}

}  // namespace
}  // namespace berth::doctor
