#include "kube/api_reply.h"

#include "gtest/gtest.h"

namespace berth::kube {
namespace {

ApiStatus Refused(int code, const char* reason) {
  ApiStatus status;
  status.code = code;
  status.reason = reason;
  status.message = "because";
  return status;
}

TEST(ApiReply, TellsWhetherTheSameRequestMayPassLater) {
  struct Case {
    int code;
    const char* reason;
    Remedy remedy;
  };
  const Case cases[] = {
      {400, "BadRequest", Remedy::kRelist},
      {401, "Unauthorized", Remedy::kRetry},
      {403, "Forbidden", Remedy::kRetry},
      {404, "NotFound", Remedy::kRelist},
      {408, "Timeout", Remedy::kRetry},
      {410, "Gone", Remedy::kRelist},
      {410, "Expired", Remedy::kRelist},
      {429, "TooManyRequests", Remedy::kRetry},
      {500, "InternalError", Remedy::kRetry},
      {500, "Expired", Remedy::kRelist},
      {503, "ServiceUnavailable", Remedy::kRetry},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(RefusalOf("/x", Refused(c.code, c.reason)).remedy, c.remedy) << c.code << c.reason;
  }
}

TEST(ApiReply, ErrorsNameTheRequestAndTheServersWords) {
  const Outcome outcome = RefusalOf("/api/v1/nodes", Refused(403, "Forbidden"));
  EXPECT_EQ(outcome.error.message(), "GET /api/v1/nodes: 403 Forbidden: because");
  EXPECT_TRUE(absl::IsPermissionDenied(outcome.error));
  EXPECT_TRUE(absl::IsUnavailable(RefusalOf("/x", Refused(500, "InternalError")).error));
}

TEST(ApiReply, ARefusalWithoutAStatusKeepsItsCode) {
  const HttpHead head{
      .status = 502, .content_type = "text/html", .retry_after = std::chrono::seconds(7)};
  const ApiStatus status = StatusOf(head, "<html>");
  EXPECT_EQ(status.code, 502);
  EXPECT_EQ(status.retry_after, std::chrono::seconds(7));
  EXPECT_EQ(RefusalOf("/x", status).retry_after, std::chrono::seconds(7));
}

TEST(ApiReply, OnlyProtobufWillDo) {
  for (const char* type : {"application/vnd.kubernetes.protobuf",
                           "application/vnd.kubernetes.protobuf;stream=watch"}) {
    EXPECT_TRUE(CheckContentType({.status = 200, .content_type = type}).ok()) << type;
  }
  for (const char* type : {"", "application/json", "text/html; charset=utf-8"}) {
    EXPECT_TRUE(absl::IsDataLoss(CheckContentType({.status = 200, .content_type = type})));
  }
}

TEST(BodySink, KeepsPiecesUpToItsLimit) {
  BodySink sink(5);
  EXPECT_TRUE(sink.OnHead({.status = 200}).ok());
  EXPECT_TRUE(sink.OnBody("abc").ok());
  EXPECT_TRUE(sink.OnBody("de").ok());
  EXPECT_EQ(sink.body(), "abcde");
  EXPECT_EQ(sink.head().status, 200);
  EXPECT_TRUE(absl::IsDataLoss(sink.OnBody("f")));
}

}  // namespace
}  // namespace berth::kube
