#include "yaml/json.h"

#include <gtest/gtest.h>

namespace berth::yaml {
namespace {

TEST(JsonTextOf, TypesPlainScalarsAndKeepsQuotedText) {
  const struct {
    const char* yaml;
    const char* json;
  } cases[] = {
      {"{a: 1, b: '1', c: \"1\"}", R"({"a":1,"b":"1","c":"1"})"},
      {"[true, 'true', yes, ~, null, '~']", R"([true,"true","yes",null,null,"~"])"},
      {"[007, +5, -5, 0x1F, 0o17]", "[7,5,-5,31,15]"},
      {"[1.5, 1e3, .5, 5.]", "[1.5,1000.0,0.5,5.0]"},
      {"[.inf, -.INF, .nan, 1e999]", R"([".inf","-.INF",".nan","1e999"])"},
      {"[9223372036854775807, 9223372036854775808]",
       R"([9223372036854775807,"9223372036854775808"])"},
      {"[40Gi, 500m, 1.2.3, 2026-01-02]", R"(["40Gi","500m","1.2.3","2026-01-02"])"},
      {"{x: &x {a: [b]}, y: *x}", R"({"x":{"a":["b"]},"y":{"a":["b"]}})"},
      {"a: |\n  two\n  lines\n", R"({"a":"two\nlines\n"})"},
      {"{1: a, true: b}", R"({"1":"a","true":"b"})"},
      {"{}", "{}"},
      {"[]", "[]"},
      {"\"\\u00e9\\t\\\"\"", "\"\xc3\xa9\\t\\\"\""},
  };
  for (const auto& test : cases)
    EXPECT_EQ(JsonTextOf(YAML::Load(test.yaml)), test.json) << test.yaml;
}

TEST(JsonTextOf, KeepsTheOrderOfKeys) {
  EXPECT_EQ(JsonTextOf(YAML::Load("{z: 1, a: 2}")), R"({"z":1,"a":2})");
}

TEST(JsonTextOf, IsUtf8WhateverTheFileHeld) {
  EXPECT_EQ(JsonTextOf(YAML::Load("a: \"\\xff\"")), "{\"a\":\"\xc3\xbf\"}");
}

}  // namespace
}  // namespace berth::yaml
