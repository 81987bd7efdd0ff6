#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"

namespace berth::kube {
namespace {

using ::testing::HasSubstr;

const std::string kNode = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n\"}{"}})";
const std::string kPod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}})";
const std::string kOther = R"({"apiVersion":"apps/v1","kind":"Deployment"})";

std::string List(const std::string& kind, const std::string& items) {
  return "{\"apiVersion\":\"v1\",\"kind\":\"" + kind + "\",\"items\":[" + items + "]}";
}

struct ObjectsCase {
  std::string text;
  std::size_t nodes;
  std::size_t pods;
  std::size_t skipped;
};

TEST(ObjectsFromJsonTest, TakesWhateverKubectlWrites) {
  const std::vector<ObjectsCase> cases = {
      {kNode, 1, 0, 0},
      {kPod, 0, 1, 0},
      {kOther, 0, 0, 1},
      {List("List", kNode + "," + kPod + "," + kOther), 1, 1, 1},
      {List("List", ""), 0, 0, 0},
      {List("NodeList", R"({"metadata":{"name":"n"}})"), 1, 0, 0},
      {List("PodList", R"({"metadata":{"name":"p"}},{})"), 0, 2, 0},
      {List("EventList", "{},{}"), 0, 0, 2},
      {List("List", List("NodeList", kNode)), 1, 0, 0},
      {kNode + kPod, 1, 1, 0},
      {" " + kNode + "\n\n" + List("PodList", kPod) + "\n", 1, 1, 0},
      {R"({"apiVersion":"other.example/v1","kind":"Node"})", 0, 0, 1},
      {R"({"apiVersion":"other.example/v1","kind":"Status"})", 0, 0, 1},
      {R"({"apiVersion":"other.example/v1","kind":"AllowList"})", 0, 0, 1},
      {R"({"apiVersion":"v1","kind":"PodList","items":null})", 0, 0, 0},
  };
  for (const ObjectsCase& c : cases) {
    const auto objects = ObjectsFromJson(c.text);
    ASSERT_TRUE(objects.ok()) << c.text << objects.status();
    EXPECT_EQ(objects->nodes.size(), c.nodes) << c.text;
    EXPECT_EQ(objects->pods.size(), c.pods) << c.text;
    EXPECT_EQ(objects->skipped, c.skipped) << c.text;
  }
}

TEST(ObjectsFromJsonTest, OneOddObjectDoesNotTakeTheOthersWithIt) {
  const std::string odd = R"({"kind":"Node","metadata":{"name":"odd"},
                              "status":{"capacity":{"cpu":"many"}}})";
  const auto objects = ObjectsFromJson(
      List("List", odd + "," + kNode + R"(,{"kind":"Node","metadata":{}})") +
      R"({"kind":"Pod","metadata":{"namespace":"ml","name":"p","uid":"u"},"spec":[]})" + kPod);
  ASSERT_TRUE(objects.ok()) << objects.status();
  EXPECT_EQ(objects->nodes.size(), 1U);
  EXPECT_EQ(objects->pods.size(), 1U);
  using Object = UnreadableObject;
  ASSERT_EQ(objects->unreadable.size(), 3U);
  EXPECT_EQ(objects->unreadable[0].name, "odd");
  EXPECT_THAT(objects->unreadable[0].error,
              HasSubstr(R"(items[0].status.capacity["cpu"]: "many" is not a quantity)"));
  EXPECT_EQ(objects->unreadable[1],
            (Object{.kind = "Node",
                    .namespace_ = "",
                    .name = "",
                    .uid = "",
                    .error = "items[2].metadata.name: is missing; every node has a name"}));
  EXPECT_EQ(objects->unreadable[2],
            (Object{.kind = "Pod",
                    .namespace_ = "ml",
                    .name = "p",
                    .uid = "u",
                    .error = "document 2.spec: expected an object, got array"}));
}

TEST(ObjectsFromJsonTest, SaysWhereItIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "the text is empty"},
      {"{\"a\":1", "not JSON"},
      {"}{", "not JSON"},
      {kNode + "]", "not JSON"},
      {kNode + " oops", "not JSON"},
      {"[]", "expected an object, got array"},
      {"{}", "kind: is missing"},
      {List("List", "{}"), "items[0].kind: is missing"},
      {List("List", kPod + ",7"), "items[1]: expected an object, got number"},
      {R"({"kind":"Status","apiVersion":"v1","message":"nodes is forbidden","reason":"Forbidden"})",
       "is a Status, an API server's answer in place of objects: nodes is forbidden"},
      {kNode + R"({"kind":"Status","reason":"Forbidden"})",
       "document 2: is a Status, an API server's answer in place of objects: Forbidden"},
      {R"({"kind":"Status"})", "no reason is given"},
      {R"({"kind":"Status","message":")" + std::string(5000, 'x') + "\"}",
       std::string(997, 'x') + "..."},
      {R"({"kind":"List","apiVersion":"v1"})", "is a \"List\" without items"},
      {R"({"kind":")" + std::string(5000, 'x') + R"(List"})", "xx...\" without items"},
      {R"({"kind":"JobList","apiVersion":"batch/v1"})", "is a \"JobList\" without items"},
  };
  for (const auto& [text, says] : cases) {
    const auto objects = ObjectsFromJson(text);
    EXPECT_EQ(objects.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(objects.status().message()), HasSubstr(says)) << text;
  }
}

}  // namespace
}  // namespace berth::kube
