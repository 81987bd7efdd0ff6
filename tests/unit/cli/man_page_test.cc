#include "cli/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// The pages of a program with one command.
std::vector<ManPage> Pages(CommandSpec command) {
  command.name = "explain";
  return ManPagesOf({.name = "berth", .help = "Places pods", .commands = {std::move(command)}},
                    "1.2.3");
}

std::string PageOf(CommandSpec command) { return Pages(std::move(command)).at(1).second; }

TEST(ManPage, OfEveryCommandIsAFile) {
  const auto pages =
      Pages({.help = "Show nodes", .commands = {{.name = "all", .help = "Show more"}}});
  ASSERT_EQ(pages.size(), 3U);
  EXPECT_EQ(pages[0].first, "berth.1");
  EXPECT_EQ(pages[1].first, "berth-explain.1");
  EXPECT_EQ(pages[2].first, "berth-explain-all.1");
  EXPECT_THAT(pages[0].second, HasSubstr("\\fBberth\\-explain\\fR(1)\nShow nodes\n"));
  EXPECT_THAT(pages[2].second, HasSubstr(".SH SYNOPSIS\n\\fBberth explain all\\fR\n"));
}

TEST(ManPage, SaysWhatTheHelpSays) {
  const std::string page =
      PageOf({.help = "Show nodes",
              .options = {{.names = {"-o", "--output"},
                           .help = "table or json",
                           .takes_value = true,
                           .default_value = "table",
                           .values = {"table", "json"}}},
              .arguments = {{.positional = "pod", .help = "A pod", .required = true}}});
  EXPECT_THAT(page, HasSubstr("berth\\-explain \\- Show nodes\n"));
  EXPECT_THAT(page, HasSubstr("\\fBberth explain\\fR [\\fIoptions\\fR] \\fIpod\\fR\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fItable|json\\fR\n"
                              "table or json (default: table)\n"));
  EXPECT_THAT(page, HasSubstr(".SH ARGUMENTS\n.TP\n\\fIpod\\fR\nA pod (required)\n"));
}

TEST(ManPage, TextIsNoRequestOfRoff) {
  const std::string page = PageOf({.help = "x", .footer = "one\n.so /etc/passwd\n'x' \\fB …\n"});
  EXPECT_THAT(page, HasSubstr("\n\\&.so /etc/passwd\n\\(aqx\\(aq \\efB \\[u2026]\n"));
}

TEST(ManPage, FillsParagraphsAndKeepsTables) {
  const std::string page = PageOf({.help = "x", .footer = "one\ntwo\n\n  a  1\n  b  2\nthree"});
  EXPECT_THAT(page, HasSubstr("one\ntwo\n.PP\n.nf\n  a  1\n  b  2\n.fi\nthree\n"));
  EXPECT_THAT(PageOf({.help = "x"}), Not(HasSubstr("NOTES")));
}

}  // namespace
}  // namespace berth::cli
