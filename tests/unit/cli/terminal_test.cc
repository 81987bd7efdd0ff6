#include "cli/terminal.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace berth::cli {
namespace {

Terminal FakeTerminal(bool is_terminal, std::size_t columns,
                      std::map<std::string, std::string> variables) {
  return TerminalOf(is_terminal, columns,
                    [&variables](const std::string& name) { return variables[name]; });
}

TEST(Terminal, FilesAndPipesGetNoColoursAndAllOfALine) {
  const Terminal pipe = FakeTerminal(false, 80, {{"TERM", "xterm"}, {"COLUMNS", "40"}});
  EXPECT_FALSE(pipe.colour);
  EXPECT_EQ(pipe.width, 0U);
}

TEST(Terminal, ShowsColoursUnlessSomebodyObjects) {
  EXPECT_TRUE(FakeTerminal(true, 80, {{"TERM", "xterm"}}).colour);
  EXPECT_TRUE(FakeTerminal(true, 80, {{"TERM", "xterm"}, {"NO_COLOR", ""}}).colour);
  EXPECT_FALSE(FakeTerminal(true, 80, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).colour);
  EXPECT_FALSE(FakeTerminal(true, 80, {{"TERM", "xterm"}, {"NO_COLOR", "0"}}).colour);
  EXPECT_FALSE(FakeTerminal(true, 80, {{"TERM", "dumb"}}).colour);
  EXPECT_FALSE(FakeTerminal(true, 80, {}).colour);
}

TEST(Terminal, IsAsWideAsThePersonOrTheSystemSays) {
  EXPECT_EQ(FakeTerminal(true, 80, {}).width, 80U);
  EXPECT_EQ(FakeTerminal(true, 80, {{"COLUMNS", "120"}}).width, 120U);
  EXPECT_EQ(FakeTerminal(true, 80, {{"COLUMNS", "wide"}}).width, 80U);
  EXPECT_EQ(FakeTerminal(true, 80, {{"COLUMNS", "0"}}).width, 80U);
  EXPECT_EQ(FakeTerminal(true, 0, {}).width, 0U);
}

TEST(Painted, HasColoursOnlyWhereTheyAreShown) {
  EXPECT_EQ(Painted("no", Tone::kBad, {.colour = true}), "\x1b[31mno\x1b[0m");
  EXPECT_EQ(Painted("yes", Tone::kGood, {.colour = true}), "\x1b[32myes\x1b[0m");
  EXPECT_EQ(Painted("x", Tone::kPlain, {.colour = true}), "x");
  EXPECT_EQ(Painted("no", Tone::kBad, {}), "no");
}

TEST(WidthOf, CountsCharacters) {
  EXPECT_EQ(WidthOf("abc"), 3U);
  EXPECT_EQ(WidthOf("Ä…"), 2U);
  EXPECT_EQ(WidthOf("e\u0301"), 1U) << "an accent stands above the character before it";
  EXPECT_EQ(WidthOf("\xff\xc3"), 2U) << "no UTF-8";
}

TEST(WidthOf, CountsWideCharactersTwice) {
  EXPECT_EQ(WidthOf("山田"), 4U);
  EXPECT_EQ(WidthOf("한국어 ａ😀"), 11U);
}

TEST(CutTo, KeepsWhatFits) {
  EXPECT_EQ(CutTo("abc", 3), "abc");
  EXPECT_EQ(CutTo("abcd", 3), "ab…");
  EXPECT_EQ(CutTo("äöüß", 3), "äö…");
  EXPECT_EQ(CutTo("abc", 1), "…");
  EXPECT_EQ(CutTo("山田太郎", 8), "山田太郎");
  EXPECT_EQ(CutTo("山田太郎", 6), "山田…") << "a wide character does not fit into one column";
}

TEST(Printable, LeavesNoCommandToTheTerminal) {
  EXPECT_EQ(Printable("a\x1b[31mb\nc\td\x7f"), "a [31mb c d ");
  EXPECT_EQ(Printable("x\u009b31my"), "x 31my") << "the C1 character of CSI";
  EXPECT_EQ(Printable("\x9b"), " ");
  EXPECT_EQ(Printable("Ä…"), "Ä…");
}

TEST(Printable, LeavesNothingThatTurnsTextAroundOrCannotBeSeen) {
  EXPECT_EQ(Printable("alice\u202e 12"), "alice 12");
  EXPECT_EQ(Printable("a\u200blice\ufeff"), "alice");
  EXPECT_EQ(Printable("al\u00adi\u061cc\u115fe\u3164\U000e0061\U000e007f!"), "alice!");
  EXPECT_EQ(Printable("\u00ac\u00ae\u3163\u3165\xe2\x80"), "\u00ac\u00ae\u3163\u3165  ");
}

TEST(PrintableLines, KeepsLineEndsAndNothingElse) {
  EXPECT_EQ(PrintableLines("a\x1b[8mb\nc\rd\n\n"), "a [8mb\nc d\n\n");
  EXPECT_EQ(PrintableLines("one"), "one");
  EXPECT_EQ(PrintableLines(""), "");
}

}  // namespace
}  // namespace berth::cli
