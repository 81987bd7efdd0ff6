#include "yaml/scalar.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth::yaml {
namespace {

TEST(TypeOf, IsTheCoreSchemas) {
  const struct {
    YamlType type;
    std::vector<const char*> texts;
  } cases[] = {
      {YamlType::kNull, {"~", "null", "Null", "NULL"}},
      {YamlType::kBool, {"true", "True", "TRUE", "false", "False", "FALSE"}},
      {YamlType::kInteger, {"0", "-1", "+7", "007", "0o17", "0xfF", "18446744073709551616"}},
      {YamlType::kFloat,
       {"1.5", "-.5", "5.", "1e3", "1E-3", "+1.5e+3", ".inf", "-.Inf", "+.INF", ".nan", ".NaN"}},
      {YamlType::kText,
       {"yes",   "No",  "on",  "off",      "y",      "tRUE", "nULL",    "1.2.3", "40Gi", "10m",
        "0x",    "0o8", "0b1", "1_000",    "e5",     "1e",   ".",       "+",     "-inf", "nan",
        "-.nan", "--1", "'1'", "\"true\"", "'null'", "\"\"", "!!str 5", "|\n  5"}},
      {YamlType::kList, {"[]", "- 1"}},
      {YamlType::kMap, {"{}", "a: 1"}},
  };
  for (const auto& test : cases) {
    for (const char* text : test.texts) EXPECT_EQ(TypeOf(YAML::Load(text)), test.type) << text;
  }
}

TEST(Describe, HasWordsForEveryType) {
  EXPECT_EQ(Describe(YamlType::kNull), "nothing");
  EXPECT_EQ(Describe(YamlType::kBool), "true or false");
  EXPECT_EQ(Describe(YamlType::kInteger), "a number");
  EXPECT_EQ(Describe(YamlType::kFloat), "a number with a fraction");
  EXPECT_EQ(Describe(YamlType::kText), "text");
  EXPECT_EQ(Describe(YamlType::kList), "a list");
  EXPECT_EQ(Describe(YamlType::kMap), "a map");
}

}  // namespace
}  // namespace berth::yaml
