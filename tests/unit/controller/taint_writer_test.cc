#include "controller/taint_writer.h"

#include <optional>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::controller {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// The one node of a list, at that version.
std::string NodeAt(const std::string& version, const std::string& taints = "[]") {
  return R"({"items":[{"metadata":{"name":"a","uid":"u-1","resourceVersion":")" + version +
         R"("},"spec":{"taints":)" + taints + "}}]}";
}

class TaintWriterTest : public ::testing::Test {
 protected:
  void Reply(int status, std::string body = "{}") {
    transport_.replies.push_back({.status = status, .body = std::move(body)});
  }

  absl::Status Taint() { return writer_.Write({.node = "a", .uid = "u-1", .value = "GPUIsLost"}); }

  kube::ScriptedTransport transport_;
  TaintWriter writer_{&transport_, kTaint};
};

TEST_F(TaintWriterTest, ReadsTheNodeAndPatchesWhatItHasRead) {
  const std::string foreign = R"({"effect":"NoExecute","key":"x"})";
  Reply(200, NodeAt("7", "[" + foreign + "]"));
  Reply(200);
  EXPECT_TRUE(Taint().ok());
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_EQ(transport_.requests[0].method, kube::HttpMethod::kGet);
  EXPECT_EQ(transport_.requests[0].target, "/api/v1/nodes?fieldSelector=metadata.name%3Da");
  EXPECT_EQ(transport_.requests[1].method, kube::HttpMethod::kPatch);
  EXPECT_EQ(transport_.requests[1].target, "/api/v1/nodes/a");
  EXPECT_EQ(transport_.requests[1].content_type, "application/merge-patch+json");
  EXPECT_EQ(transport_.requests[1].body,
            R"({"metadata":{"resourceVersion":"7","uid":"u-1"},"spec":{"taints":[)" + foreign +
                R"(,{"effect":"NoSchedule","key":"berth.dev/excluded","value":"GPUIsLost"}]}})");
}

// Whoever was faster may have written taints of their own.
TEST_F(TaintWriterTest, ReadsTheNodeAnewIfSomebodyElseWasFaster) {
  const std::string theirs = R"({"effect":"NoSchedule","key":"theirs"})";
  Reply(200, NodeAt("7"));
  Reply(409);
  Reply(200, NodeAt("8", "[" + theirs + "]"));
  Reply(200);
  EXPECT_TRUE(Taint().ok());
  ASSERT_THAT(transport_.requests, SizeIs(4));
  EXPECT_THAT(transport_.requests[3].body, HasSubstr(R"("resourceVersion":"8")"));
  EXPECT_THAT(transport_.requests[3].body, HasSubstr(theirs));
}

TEST_F(TaintWriterTest, GivesUpAfterThreeTries) {
  for (int i = 0; i < 9; ++i) {
    Reply(200, NodeAt("7"));
    Reply(409);
  }
  EXPECT_TRUE(absl::IsAborted(Taint()));
  EXPECT_THAT(transport_.requests, SizeIs(6));
}

TEST_F(TaintWriterTest, SendsNoPatchWhereNothingIsToBeChanged) {
  Reply(200, NodeAt("7"));
  EXPECT_TRUE(writer_.Write({.node = "a", .uid = "u-1", .value = std::nullopt}).ok());
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(TaintWriterTest, LeavesAnotherNodeOfTheNameAlone) {
  Reply(200, NodeAt("7"));
  EXPECT_TRUE(absl::IsNotFound(writer_.Write({.node = "a", .uid = "u-2", .value = "GPUIsLost"})));
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(TaintWriterTest, ReturnsErrors) {
  Reply(403);
  EXPECT_TRUE(absl::IsPermissionDenied(Taint()));
  Reply(200, "<html>");
  EXPECT_TRUE(absl::IsUnavailable(Taint()));
  Reply(200, NodeAt("7"));
  Reply(403);
  EXPECT_TRUE(absl::IsPermissionDenied(Taint()));
}

TEST(TaintText, IsWhatKubectlTakes) {
  const auto text = [](std::optional<std::string> value) {
    return TaintText(kTaint, {.node = "a", .uid = "u", .value = std::move(value)});
  };
  EXPECT_EQ(text("GPUIsLost"), "berth.dev/excluded=GPUIsLost:NoSchedule");
  EXPECT_EQ(text(""), "berth.dev/excluded:NoSchedule");
  EXPECT_EQ(text(std::nullopt), "berth.dev/excluded:NoSchedule-");
}

}  // namespace
}  // namespace berth::controller
