#include "cli/unified_diff.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::cli {
namespace {

TEST(UnifiedDiff, IsEmptyForTheSame) {
  EXPECT_EQ(UnifiedDiff("", ""), "");
  EXPECT_EQ(UnifiedDiff("a\nb\n", "a\nb\n"), "");
}

TEST(UnifiedDiff, ShowsThreeLinesAroundEachChange) {
  EXPECT_EQ(UnifiedDiff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n"),
            "@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+10\n");
  EXPECT_EQ(UnifiedDiff("a\n", "a\nb\n"), "@@ -1,1 +1,2 @@\n a\n+b\n");
}

TEST(UnifiedDiff, ShowsChangesFarApartInHunksOfTheirOwn) {
  std::string before;
  for (int i = 1; i <= 40; ++i) before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("2\n"), 2, "x\n");
  after.replace(after.find("39\n"), 3, "y\n");
  EXPECT_EQ(UnifiedDiff(before, after),
            "@@ -1,5 +1,5 @@\n 1\n-2\n+x\n 3\n 4\n 5\n@@ -36,5 +36,5 @@\n 36\n 37\n 38\n-39\n+y\n"
            " 40\n");
}

}  // namespace
}  // namespace berth::cli
