#include "yaml/text.h"

#include <gtest/gtest.h>

#include <string>

#include "yaml/document.h"
#include "yaml/json.h"

namespace berth::yaml {
namespace {

std::string Written(const std::string& text) {
  return YamlText(ParseYaml(text, "f").documents.at(0));
}

TEST(YamlText, WritesWhatWasRead) {
  for (const char* text : {
           "a: 1\nb:\n  - x\n  - y: 2\n    z: \"3\"\n",
           "script: |\n  set -e\n  python train.py\n\n  exit 0\nnext: 1\n",
           "flow: {a: [1, 2], b: \"\"}\nempty: {}\nnone: []\n",
           "quoted: \"true\"\nplain: true\noctal: 0644\nversion: 1.10\n",
       }) {
    EXPECT_EQ(Written(text), text);
  }
}

TEST(YamlText, KeepsTheMeaningOfEveryScalar) {
  for (const char* text : {
           "a: 'single'\n",
           "a: '8'\n",
           "a: >\n  folded\n  text\n",
           "a: |-\n  no end\n",
           "a: |+\n  two ends\n\n",
           "a: \"tab\\there\"\n",
           "a: \"  leading\\n\"\n",
           "a:\n",
           "a: ~\n",
           "a: \"#x\"\n",
           "a: 'it''s'\n",
           "? \"quoted key\"\n: 1\n",
           "a: !!str 5\n",
           "a: \"\\u00fc\\U0001F600\"\n",
           "a: null\n",
           "- 1\n- [\"1\", one]\n",
           "a: .inf\n",
       }) {
    const std::string before = JsonTextOf(ParseYaml(text, "f").documents.at(0));
    EXPECT_EQ(JsonTextOf(ParseYaml(Written(text), "f").documents.at(0)), before) << text;
  }
}

TEST(YamlText, WritesJsonInLines) {
  EXPECT_EQ(Written(R"({"a": {"b": [1, "2", "x y"], "5": null}, "empty": {}})"),
            "a:\n  b:\n    - 1\n    - \"2\"\n    - \"x y\"\n  \"5\": ~\nempty:\n  {}\n");
}

TEST(YamlText, WritesOutAliases) { EXPECT_EQ(Written("a: &x [1]\nb: *x\n"), "a: [1]\nb: [1]\n"); }

}  // namespace
}  // namespace berth::yaml
