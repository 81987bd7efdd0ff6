#include "model/utf8.h"

#include <gtest/gtest.h>

namespace berth::model {
namespace {

TEST(WholeCharacters, LeavesWhatFits) {
  EXPECT_EQ(WholeCharacters("", 0), "");
  EXPECT_EQ(WholeCharacters("gang", 4), "gang");
  EXPECT_EQ(WholeCharacters("\u00fc", 2), "\u00fc");
}

TEST(WholeCharacters, CutsBetweenTwoCharacters) {
  EXPECT_EQ(WholeCharacters("gang", 3), "gan");
  EXPECT_EQ(WholeCharacters("gang", 0), "");
  EXPECT_EQ(WholeCharacters("a\u00fcb", 2), "a");
  EXPECT_EQ(WholeCharacters("a\u00fcb", 3), "a\u00fc");
  const char* const four_bytes = "a\U0001f680b";
  EXPECT_EQ(WholeCharacters(four_bytes, 4), "a");
  EXPECT_EQ(WholeCharacters(four_bytes, 5), "a\U0001f680");
}

TEST(Shortened, MarksWhereItCuts) {
  EXPECT_EQ(Shortened("gangs", 5), "gangs");
  EXPECT_EQ(Shortened("gangs!", 5), "ga...");
  EXPECT_EQ(Shortened("g\u00fcng!", 5), "g...");
}

TEST(WholeCharacters, EndsForBytesThatBeginNoCharacter) {
  EXPECT_EQ(WholeCharacters("\x80\x80\x80\x80", 3), "");
}

}  // namespace
}  // namespace berth::model
