#include "admission/templates.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"

namespace berth::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// "field=pods", one for each template.
std::vector<std::string> Found(const std::string& text, const std::string& pointer) {
  kube::JsonParser parser;
  const auto root = parser.Parse(text).value();
  std::vector<std::string> found;
  for (const FoundTemplate& each : TemplatesAt(root, pointer)) {
    found.push_back(each.field + "=" + simdjson::minify(each.pods));
  }
  return found;
}

TEST(TemplatesAtTest, FollowsThePointer) {
  const std::string text = R"({"spec": {"a/b": {"t~0": {"x": 1}}, "list": [{"t": {"y": 2}}, {}]}})";
  EXPECT_THAT(Found(text, "/spec/a~1b/t~00"), ElementsAre(R"(spec.a/b.t~0={"x":1})"));
  EXPECT_THAT(Found(text, "/spec/list/0/t"), ElementsAre(R"(spec.list[0].t={"y":2})"));
  for (const char* pointer :
       {"/spec/none/t", "/spec/list/2", "/spec/list/x", "/spec/a~1b/t~00/x"}) {
    EXPECT_THAT(Found(text, pointer), IsEmpty()) << pointer;
  }
}

std::vector<std::string> Likely(const std::string& text) {
  kube::JsonParser parser;
  return LikelyTemplates(parser.Parse(text).value());
}

TEST(LikelyTemplatesTest, AreWhatHasContainersInItsSpec) {
  EXPECT_THAT(Likely(R"({"spec": {
                "headGroupSpec": {"template": {"spec": {"containers": []}}},
                "workerGroupSpecs": [{"template": {"spec": {"containers": [{}]}}},
                                     {"template": {"spec": {"containers": [{}]}}}],
                "a/b~": {"spec": {"containers": [], "inner": {"spec": {"containers": []}}}}}})"),
              ElementsAre("/spec/headGroupSpec/template", "/spec/workerGroupSpecs/*/template",
                          "/spec/a~1b~0"));
  for (const char* none : {"{}", R"({"spec": {"containers": 5}})",
                           R"({"spec": [{"containers": 1}]})", R"({"containers": []})"}) {
    EXPECT_THAT(Likely(none), IsEmpty()) << none;
  }
}

TEST(LikelyTemplatesTest, EndAtTheirMaximum) {
  std::string text = "{";
  for (std::size_t i = 0; i < kMaxTemplates + 5; ++i) {
    text += (i > 0 ? ", \"" : "\"") + std::to_string(i) + R"(": {"spec": {"containers": []}})";
  }
  EXPECT_THAT(Likely(text + "}"), SizeIs(kMaxTemplates));
}

TEST(TemplatesAtTest, TakesAStarForEveryMember) {
  const std::string text = R"({"spec": {
    "replicas": {"Worker": {"template": {"w": 1}}, "Master": {"template": {"m": 1}},
                 "Broken": {"template": null}, "None": {}},
    "groups": [{"template": {"g": 0}}, {"template": 5}, {"template": {"g": 2}}]}})";
  EXPECT_THAT(Found(text, "/spec/replicas/*/template"),
              ElementsAre(R"(spec.replicas.Worker.template={"w":1})",
                          R"(spec.replicas.Master.template={"m":1})"));
  EXPECT_THAT(
      Found(text, "/spec/groups/*/template"),
      ElementsAre(R"(spec.groups[0].template={"g":0})", R"(spec.groups[2].template={"g":2})"));
}

TEST(TemplatesAtTest, BoundsHowManyItLooksAt) {
  std::string list = "{}";
  for (int i = 0; i < 1000; ++i) list += ",{}";
  EXPECT_THAT(Found("{\"a\": [" + list + "]}", "/a/*"), SizeIs(kMaxTemplates + 1))
      << "one more tells that there are too many";
}

}  // namespace
}  // namespace berth::admission
