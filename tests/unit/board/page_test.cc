#include "board/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

namespace berth::board {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::map<std::string_view, PageFile> Files() {
  std::map<std::string_view, PageFile> files;
  for (const PageFile& file : PageFiles()) files.emplace(file.path, file);
  return files;
}

TEST(BoardPage, IsInTheBinaryWithItsTypes) {
  const auto files = Files();
  ASSERT_TRUE(files.contains("/"));
  EXPECT_EQ(files.at("/").content_type, "text/html; charset=utf-8");
  EXPECT_EQ(files.at("/main.js").content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(files.at("/board.css").content_type, "text/css; charset=utf-8");
  EXPECT_EQ(files.at("/icon.svg").content_type, "image/svg+xml");
}

// The policy of Guarded() would keep the browser from loading or running these.
TEST(BoardPage, LoadsNothingFromElsewhereAndHasNoScriptOrStyleInTheHtml) {
  for (const auto& [path, file] : Files()) {
    const std::string text(file.content);
    if (path != "/icon.svg") {
      EXPECT_THAT(text, Not(HasSubstr("http://"))) << path;
    }
    EXPECT_THAT(text, Not(HasSubstr("https://"))) << path;
    EXPECT_THAT(text, Not(HasSubstr("innerHTML"))) << path;
  }
  const std::string html(Files().at("/").content);
  EXPECT_THAT(html, Not(HasSubstr("style=")));
  EXPECT_THAT(html, Not(HasSubstr("onclick")));
}

TEST(BoardPage, EveryModuleThatIsImportedIsThere) {
  const auto files = Files();
  for (const auto& [path, file] : files) {
    std::string_view rest = file.content;
    for (auto at = rest.find("from './"); at != std::string_view::npos;
         at = rest.find("from './")) {
      rest.remove_prefix(at + 7);
      const std::string module(rest.substr(0, rest.find('\'')));
      EXPECT_TRUE(files.contains(module)) << path << " imports " << module;
    }
  }
}

}  // namespace
}  // namespace berth::board
