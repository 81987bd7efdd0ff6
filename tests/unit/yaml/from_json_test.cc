#include "yaml/from_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "yaml/document.h"
#include "yaml/json.h"

namespace berth::yaml {
namespace {

TEST(YamlFromJson, IsWrittenInLines) {
  EXPECT_EQ(YamlFromJson(R"({"pod": "ml/train", "fits": true, "score": 12, "since": null,
                             "nodes": [{"name": "a", "free": [1, 2]}, {"name": "b"}],
                             "hints": [], "requests": {}})"),
            "pod: ml/train\n"
            "fits: true\n"
            "score: 12\n"
            "since: null\n"
            "nodes:\n"
            "  - name: a\n"
            "    free:\n"
            "      - 1\n"
            "      - 2\n"
            "  - name: b\n"
            "hints: []\n"
            "requests: {}\n");
}

// Readers of YAML 1.1 know more words and numbers than those of 1.2.
TEST(YamlFromJson, QuotesTextThatLooksOtherwise) {
  for (const char* text : {"1", "1e3", "0x1F", "1_000", "12:30:00", "2026-01-01", "true", "No", "y",
                           "off", "null", "~", "", ".5", "-", "=", "<<", "+1"}) {
    const nlohmann::json json = {{"a", text}};
    EXPECT_EQ(YamlFromJson(json.dump()), "a: \"" + std::string(text) + "\"\n");
  }
}

TEST(YamlFromJson, ReadsBackUnchanged) {
  const nlohmann::ordered_json json = {
      {"text", "a: b # c"},
      {"lines", "one\ntwo\n"},
      {"blanks", " x "},
      {"quotes", R"("it's" \ {[)"},
      {"unicode", "Ä…😀"},
      {"control", std::string("\x01\x1b\t")},
      {"numbers", {0, -1, 9'007'199'254'740'993, 1.5, 1e300}},
      {"no", false},
      {"nested", {{{"a", {1, nullptr}}}, {}, nlohmann::ordered_json::array()}}};
  const YamlDocuments read = ParseYaml(YamlFromJson(json.dump()), "test");
  ASSERT_TRUE(read.errors.empty()) << ToString(read.errors);
  ASSERT_EQ(read.documents.size(), 1U);
  EXPECT_EQ(nlohmann::json::parse(JsonTextOf(read.documents.front())), nlohmann::json(json));
}

}  // namespace
}  // namespace berth::yaml
