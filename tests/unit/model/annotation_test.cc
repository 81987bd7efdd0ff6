#include "model/annotation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::model {
namespace {

TEST(SplitList, LeavesOutWhatSaysNothing) {
  using Items = std::vector<std::string_view>;
  EXPECT_EQ(SplitList(""), Items{});
  EXPECT_EQ(SplitList(" , ,"), Items{});
  EXPECT_EQ(SplitList("A100"), Items{"A100"});
  EXPECT_EQ(SplitList(" A100 ,,\tMN-Core 2\n,"), (Items{"A100", "MN-Core 2"}));
}

TEST(SplitList, ReadsSoManyItems) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "A,";
  EXPECT_EQ(SplitList(text).size(), kMaxListItems);
}

TEST(Trim, TakesSpacesOffBothEndsOnly) {
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim(" "), "");
}

}  // namespace
}  // namespace berth::model
