#include "yaml/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "yaml/document.h"
#include "yaml/json.h"
#include "yaml/text.h"

namespace berth::yaml {
namespace {

using testing::HasSubstr;

YAML::Node Parsed(const std::string& text) {
  const YamlDocuments yaml = ParseYaml(text, "f");
  return yaml.documents.at(0);
}

std::string Patched(const std::string& text, const std::string& patch) {
  const YAML::Node copy = CopyOf(Parsed(text));
  const absl::Status status = ApplyPatch(patch, copy);
  return status.ok() ? YamlText(copy) : std::string(status.message());
}

TEST(ApplyPatch, DoesWhatJsonPatchDoes) {
  const std::string text = R"({"a/b": {"c": [1, {"d": "x"}, 3], "n": null}, "e": "f"})";
  const char* operations[] = {
      R"({"op": "add", "path": "/new", "value": {"a": ["b", 1, true]}})",
      R"({"op": "add", "path": "/a~1b/n", "value": "5"})",
      R"({"op": "add", "path": "/a~1b/c/-", "value": 4})",
      R"({"op": "add", "path": "/a~1b/c/0", "value": {"x": "y"}})",
      R"({"op": "add", "path": "/a~1b/c/2", "value": 2})",
      R"({"op": "replace", "path": "/e", "value": "off"})",
      R"({"op": "replace", "path": "/a~1b/c/2", "value": null})",
      R"({"op": "add", "path": "/a~1b/c/1/e", "value": -7})",
      R"({"op": "remove", "path": "/a~1b/n"})",
  };
  for (const std::string operation : operations) {
    const std::string patch = "[" + operation + "]";
    const YAML::Node copy = CopyOf(Parsed(text));
    ASSERT_TRUE(ApplyPatch(patch, copy).ok()) << patch;
    const auto expected =
        nlohmann::ordered_json::parse(text).patch(nlohmann::ordered_json::parse(patch));
    EXPECT_EQ(JsonTextOf(copy), expected.dump()) << patch;
    // And it is written so that it is read as the same.
    EXPECT_EQ(JsonTextOf(Parsed(YamlText(copy))), expected.dump()) << patch;
  }
}

TEST(ApplyPatch, LeavesScalarsAsTheyWereWritten) {
  EXPECT_EQ(Patched("a: 0x1F\nb: 1e3\nc: \"8\"\nd: yes\n",
                    R"([{"op": "add", "path": "/e", "value": "8"}])"),
            "a: 0x1F\nb: 1e3\nc: \"8\"\nd: yes\ne: \"8\"\n");
}

TEST(ApplyPatch, QuotesWordsThatSomeYamlTakesForSomethingElse) {
  for (const char* text :
       {"on", "N", "yes", "true", "null", "1e3", "0x1", "~", "a: b", "- a", ""}) {
    const nlohmann::json patch = {{{"op", "add"}, {"path", "/k"}, {"value", text}}};
    EXPECT_THAT(Patched("{}", patch.dump()), HasSubstr("k: \"" + std::string(text) + "\""));
  }
}

TEST(ApplyPatch, ChangesOneOfTwoPlacesThatShareAnAnchor) {
  EXPECT_EQ(Patched("a: &x\n  b: 1\nc: *x\n", R"([{"op":"add","path":"/c/b","value":2}])"),
            "a:\n  b: 1\nc:\n  b: 2\n");
}

TEST(ApplyPatch, SaysWhereItDoesNotFit) {
  for (const char* path : {"/a/b", "/c/0", "/l/7", "/none/x"}) {
    const nlohmann::json patch = {{{"op", "replace"}, {"path", path}, {"value", 1}}};
    EXPECT_THAT(Patched("a: 1\nl: [1]\n", patch.dump()),
                HasSubstr("does not fit at " + std::string(path)));
  }
  EXPECT_THAT(Patched("a: [1]\n", R"([{"op":"add","path":"/a/x","value":1}])"),
              HasSubstr("the patch does not fit"));
  EXPECT_THAT(Patched("a: 1\n", "{"), HasSubstr("the patch does not fit"));
}

TEST(NodeAt, FindsWhatIsThere) {
  const YAML::Node node = Parsed("a: {b: [x, y]}\n");
  EXPECT_EQ(NodeAt(node, "/a/b/1").value().Scalar(), "y");
  EXPECT_TRUE(NodeAt(node, "").value().IsMap());
  for (const char* pointer : {"/b", "/a/c/d", "/a/b/2", "/a/b/1/x", "/a/b/name", "/a/b/-1"}) {
    EXPECT_FALSE(NodeAt(node, pointer)) << pointer;
  }
}

}  // namespace
}  // namespace berth::yaml
