#include "cli/text_table.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

TEST(FormatTable, AlignsColumns) {
  EXPECT_EQ(FormatTable({{"A", "LONG", "C"}, {"wide cell", "x", "y"}}, {}),
            "A          LONG  C\n"
            "wide cell  x     y\n");
}

TEST(FormatTable, HasNoBlanksAtTheEnd) {
  EXPECT_EQ(FormatTable({{"ab", "c"}, {"a", ""}}, {}), "ab  c\na\n");
}

TEST(FormatTable, TakesShortRowsAndNone) {
  EXPECT_EQ(FormatTable({{"a", "b"}, {"ccc"}}, {}), "a    b\nccc\n");
  EXPECT_EQ(FormatTable({}, {}), "");
}

TEST(FormatTable, CutsTheLastColumnAlone) {
  const std::vector<Row> rows = {{"NAME", "WHY"}, {"a-long-name", "it is out of devices"}};
  EXPECT_EQ(FormatTable(rows, {.width = 28}),
            "NAME         WHY\n"
            "a-long-name  it is out of d…\n");
  EXPECT_EQ(FormatTable(rows, {.width = 33}),
            "NAME         WHY\n"
            "a-long-name  it is out of devices\n");
  EXPECT_EQ(FormatTable(rows, {}), FormatTable(rows, {.width = 33}));
}

// The terminal breaks such lines, and all of them can be read.
TEST(FormatTable, CutsNothingWhereNoRoomIsLeft) {
  const std::vector<Row> rows = {{"NAME", "WHY"}, {"a-very-long-name-indeed", "no devices left"}};
  EXPECT_EQ(FormatTable(rows, {.width = 30}), FormatTable(rows, {}));
}

TEST(FormatTable, CutsNothingOfShorterRows) {
  EXPECT_EQ(
      FormatTable({{"a", "b", "1234567890123456"}, {"c", "12345678901234567890"}}, {.width = 37}),
      "a  b                     12345678901…\n"
      "c  12345678901234567890\n");
}

TEST(FormatTable, ColoursTakeNoRoom) {
  EXPECT_EQ(FormatTable({{"FITS", "WHY"}, {{"no", Tone::kBad}, "x"}, {"yes", "y"}},
                        {.colour = true, .width = 80}),
            "FITS  WHY\n"
            "\x1b[31mno\x1b[0m    x\n"
            "yes   y\n");
}

TEST(FormatTable, AlignsByCharacters) {
  EXPECT_EQ(FormatTable({{"ÄÖ", "x"}, {"abc", "y"}}, {}), "ÄÖ   x\nabc  y\n");
}

TEST(FormatTable, KeepsALineALine) {
  EXPECT_EQ(FormatTable({{"a\nb", "c\x1b[0m"}}, {}), "a b  c [0m\n");
}

}  // namespace
}  // namespace berth::cli
