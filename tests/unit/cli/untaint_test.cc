#include "cli/untaint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/kube/scripted_transport.h"

namespace berth::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kKey[] = "berth.dev/excluded";

std::string Node(const std::string& name, const std::string& taints) {
  return R"({"metadata":{"name":")" + name + R"(","uid":"u-)" + name +
         R"(","resourceVersion":"7"},"spec":{"taints":[)" + taints + "]}}";
}

std::string ListOfNodes(const std::string& nodes) {
  return R"({"metadata":{},"items":[)" + nodes + "]}";
}

constexpr char kOwn[] = R"({"effect":"NoSchedule","key":"berth.dev/excluded","value":"GPUIsLost"})";
constexpr char kForeignTaint[] = R"({"effect":"NoSchedule","key":"a"})";
constexpr char kEvicting[] = R"({"effect":"NoExecute","key":"berth.dev/excluded"})";

TEST(RemoveTaints, AreThoseOfBerthAlone) {
  kube::ScriptedTransport transport;
  const std::string tainted = Node("b", std::string(kForeignTaint) + "," + kOwn);
  transport.replies = {{.body = ListOfNodes(Node("a", kForeignTaint) + "," + tainted + "," +
                                            Node("c", kEvicting) + "," + Node("d", ""))},
                       {.body = ListOfNodes(tainted)},
                       {.body = "{}"}};
  const auto untainted = RemoveTaints(kKey, transport);
  ASSERT_TRUE(untainted.ok()) << untainted.status();
  EXPECT_THAT(*untainted, ElementsAre(testing::Pair("b", absl::OkStatus())));
  ASSERT_THAT(transport.requests, SizeIs(3));
  EXPECT_EQ(transport.requests[2].target, "/api/v1/nodes/b");
  EXPECT_EQ(transport.requests[2].body,
            R"({"metadata":{"resourceVersion":"7","uid":"u-b"},"spec":{"taints":[)" +
                std::string(kForeignTaint) + "]}}");
}

TEST(RemoveTaints, OneThatFailsHoldsUpNoOther) {
  kube::ScriptedTransport transport;
  transport.replies = {
      {.body = ListOfNodes(Node("a", kOwn) + "," + Node("b", kOwn) + "," + Node("gone", kOwn))},
      {.status = 403, .body = R"({"message":"no"})"},
      {.body = ListOfNodes(Node("b", kOwn))},
      {.body = "{}"},
      {.body = ListOfNodes("")}};
  const auto untainted = RemoveTaints(kKey, transport);
  ASSERT_TRUE(untainted.ok()) << untainted.status();
  ASSERT_THAT(*untainted, SizeIs(3));
  EXPECT_TRUE(absl::IsPermissionDenied(untainted->at(0).second));
  EXPECT_TRUE(untainted->at(1).second.ok());
  EXPECT_TRUE(untainted->at(2).second.ok());
}

TEST(RemoveTaints, WhereNoneIsThereNothingIsWritten) {
  kube::ScriptedTransport transport;
  transport.replies.push_back({.body = ListOfNodes(Node("a", kForeignTaint))});
  const auto untainted = RemoveTaints(kKey, transport);
  ASSERT_TRUE(untainted.ok()) << untainted.status();
  EXPECT_THAT(*untainted, IsEmpty());
  EXPECT_THAT(transport.requests, SizeIs(1));
}

TEST(RemoveTaints, WithoutTheRightToListSaysSo) {
  kube::ScriptedTransport transport;
  transport.replies.push_back({.status = 403, .body = R"({"message":"no"})"});
  EXPECT_THAT(std::string(RemoveTaints(kKey, transport).status().message()),
              HasSubstr("no right to list nodes"));
}

}  // namespace
}  // namespace berth::cli
