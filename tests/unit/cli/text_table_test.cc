#include "cli/text_table.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

TEST(TextTable, AlignsColumns) {
  EXPECT_EQ(TextTable({{"A", "LONG", "C"}, {"wide cell", "x", "y"}}),
            "A          LONG  C\n"
            "wide cell  x     y\n");
}

TEST(TextTable, HasNoBlanksAtTheEnd) {
  EXPECT_EQ(TextTable({{"ab", "c"}, {"a", ""}}), "ab  c\na\n");
}

TEST(TextTable, TakesShortRowsAndNone) {
  EXPECT_EQ(TextTable({{"a", "b"}, {"ccc"}}), "a    b\nccc\n");
  EXPECT_EQ(TextTable({}), "");
}

}  // namespace
}  // namespace berth::cli
