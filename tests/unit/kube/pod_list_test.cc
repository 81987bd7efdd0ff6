#include "kube/pod_list.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/api_reply.h"
#include "tests/unit/kube/scripted_transport.h"
#include "tests/unit/kube/wire_fixtures.h"

namespace berth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PodListTest : public ::testing::Test {
 protected:
  void Reply(const pb::ObjectList& list) {
    transport_.replies.push_back({.body = Body("PodList", list), .content_type = kProtobufType});
  }
  static pb::ObjectList At(pb::ObjectList list) {
    list.mutable_metadata()->set_resource_version("7");
    return list;
  }
  static pb::Pod Named(const std::string& name) {
    pb::Pod pod = MakePod();
    pod.mutable_metadata()->set_name(name);
    return pod;
  }
  absl::Status List() {
    return ListPods(transport_, "ml", "status.phase!=Failed",
                    [this](const model::Pod& pod) { names_.push_back(pod.name); });
  }

  ScriptedTransport transport_;
  std::vector<std::string> names_;
};

TEST_F(PodListTest, PassesAllPodsOfOneReply) {
  Reply(At(ListOf(Named("a"), Named("b"))));
  EXPECT_TRUE(List().ok());
  EXPECT_THAT(names_, ElementsAre("a", "b"));
  ASSERT_THAT(transport_.requests, SizeIs(1));
  EXPECT_EQ(transport_.requests[0].target,
            "/api/v1/namespaces/ml/pods?fieldSelector=status.phase%21%3DFailed");
  EXPECT_EQ(transport_.requests[0].accept, kProtobufType);
}

TEST_F(PodListTest, OfNoPodsIsEmpty) {
  Reply(At(ListOf()));
  EXPECT_TRUE(List().ok());
  EXPECT_THAT(names_, IsEmpty());
}

TEST_F(PodListTest, FailsIfThePodsCannotAllBeRead) {
  pb::ObjectList list = At(ListOf(Named("a")));
  list.add_items("\xff");
  Reply(list);
  EXPECT_EQ(List().code(), absl::StatusCode::kDataLoss);
}

TEST_F(PodListTest, FailsIfTheServerRefuses) {
  transport_.replies.push_back({.status = 403, .body = "{}"});
  const absl::Status status = List();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/api/v1/namespaces/ml/pods"));
}

TEST_F(PodListTest, FailsIfTheReplyIsCutOff) {
  const std::string body = Body("PodList", At(ListOf(Named("a"), Named("b"))));
  transport_.replies.push_back(
      {.body = body.substr(0, body.size() - 10), .content_type = kProtobufType});
  EXPECT_EQ(List().code(), absl::StatusCode::kDataLoss);
}

TEST_F(PodListTest, FailsIfTheServerDoesNotSpeakProtobuf) {
  transport_.replies.push_back({.body = R"({"items":[]})"});
  transport_.replies.push_back({.status = 406, .body = "{}"});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(List().code(), absl::StatusCode::kDataLoss);
}

// As something between Berth and the API server might do.
TEST_F(PodListTest, FailsIfItIsAPageOfSeveral) {
  pb::ObjectList list = At(ListOf(Named("a")));
  list.mutable_metadata()->set_continue_("more");
  Reply(list);
  EXPECT_EQ(List().code(), absl::StatusCode::kDataLoss);
}

TEST_F(PodListTest, TellsThatItWasCancelled) {
  transport_.replies.push_back({.error = absl::CancelledError("stopped")});
  EXPECT_TRUE(absl::IsCancelled(List()));
}

}  // namespace
}  // namespace berth::kube
