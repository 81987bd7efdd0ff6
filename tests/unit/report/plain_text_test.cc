#include "report/plain_text.h"

#include <gtest/gtest.h>

namespace berth::report {
namespace {

TEST(PlainText, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(PlainText("train-0", kMaxName), "train-0");
  EXPECT_EQ(PlainText("größer → 学習", kMaxName), "größer → 学習");
}

TEST(PlainText, LeavesNothingThatATerminalObeys) {
  EXPECT_EQ(PlainText("a\x1b[31mb\r\nc\td\x7f", kMaxName), "a [31mb  c d ");
  EXPECT_EQ(PlainText("a\xc2\x9b"
                      "b",
                      kMaxName),
            "a  b");
}

TEST(PlainText, RemovesWhatTurnsTextAround) {
  EXPECT_EQ(PlainText("a\u202eb\u2066c\u200bd\ufeff", kMaxName), "abcd");
}

TEST(PlainText, CutsWithoutBreakingACharacter) {
  const std::string cut = PlainText("aäääääää", 10);
  EXPECT_LE(cut.size(), 10U);
  EXPECT_TRUE(cut.ends_with("...")) << cut;
  EXPECT_EQ(cut, "aäää...");
}

}  // namespace
}  // namespace berth::report
