#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"

namespace berth::kube {
namespace {

using ::testing::HasSubstr;

std::string Nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonParserTest, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "the text is empty"},
      {" \n", "the text is empty"},
      {"{", "not JSON"},
      {"{]", "not JSON"},
      {" {\"a\": [1", "not JSON: it ends early"},
      {"[{}, {\"a\": \"]}", "not JSON: it ends early"},
      {"{\"a\": \"\xe3\x81", "not JSON: it ends early"},
      {"{\"a\":1}}", "not JSON"},
      {"<html>", "not JSON"},
      {"{'a':1}", "not JSON"},
      {"{\"a\":1,}", "not JSON"},
      {"\"\xff\"", "not UTF-8"},
      {"[123456789012345678901234567890]", "does not fit 64 bits"},
      {Nested(65), "nests more than 64"},
      {Nested(200'000), "nests more than 64"},
  };
  JsonParser parser;
  for (const auto& [text, says] : cases) {
    const auto root = parser.Parse(text);
    EXPECT_EQ(root.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(root.status().message()), HasSubstr(says)) << text.substr(0, 20);
  }
}

TEST(JsonParserTest, TakesTheGreatestDepth) {
  JsonParser parser;
  EXPECT_TRUE(parser.Parse(Nested(JsonParser::kMaxDepth)).ok());
}

TEST(JsonParserTest, CountsBeforeItParses) {
  const auto list = [](std::size_t values) {
    std::string text = "[";
    for (std::size_t i = 1; i < values; ++i) text += "1,";
    text.back() = ']';
    return text;
  };
  JsonParser parser(1'000);
  EXPECT_TRUE(parser.Parse(list(1'000)).ok());
  EXPECT_THAT(std::string(parser.Parse(list(1'002)).status().message()),
              HasSubstr("more than the 1000 members and items"));
  EXPECT_TRUE(parser.Parse("\"" + std::string(5'000, ',') + "\"").ok());
}

TEST(JsonParserTest, KeepsItsDepthWhenItGrows) {
  JsonParser parser;
  ASSERT_TRUE(parser.Parse("1").ok());
  ASSERT_TRUE(parser.Parse("\"" + std::string(1'000'000, 'x') + "\"").ok());
  EXPECT_FALSE(parser.Parse(Nested(65) + std::string(2'000'000, ' ')).ok());
}

TEST(JsonParserTest, GoesOnAfterAnError) {
  JsonParser parser;
  ASSERT_FALSE(parser.Parse("{").ok());
  const auto root = parser.Parse("{\"a\":\"b\"}");
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(std::string_view((*root)["a"].get_string().value()), "b");
}

TEST(JsonParserTest, CopiesTheText) {
  JsonParser parser;
  std::string text = "{\"a\":\"b\"}";
  const auto root = parser.Parse(text);
  text.assign(text.size(), ' ');
  EXPECT_EQ(std::string_view((*root)["a"].get_string().value()), "b");
}

}  // namespace
}  // namespace berth::kube
