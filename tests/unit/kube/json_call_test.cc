#include "kube/json_call.h"

#include "gtest/gtest.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::kube {
namespace {

TEST(JsonCall, SendsWhatTheMethodNeeds) {
  struct Case {
    HttpMethod method;
    const char* content_type;
  };
  for (const Case& c : {Case{HttpMethod::kGet, ""}, Case{HttpMethod::kPost, "application/json"},
                        Case{HttpMethod::kPut, "application/json"},
                        Case{HttpMethod::kPatch, "application/merge-patch+json"},
                        Case{HttpMethod::kDelete, "application/json"}}) {
    ScriptedTransport transport;
    transport.replies.push_back({.status = 201, .body = "{}"});
    const auto reply = CallJson(transport, c.method, "/x", "body");
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(*reply, "{}");
    const HttpRequest& request = transport.requests[0];
    EXPECT_EQ(request.method, c.method);
    EXPECT_EQ(request.target, "/x");
    EXPECT_EQ(request.accept, "application/json");
    EXPECT_EQ(request.content_type, c.content_type);
    EXPECT_EQ(request.body, "body");
  }
}

TEST(JsonCall, AStrategicPatchHasATypeOfItsOwn) {
  ScriptedTransport transport;
  transport.replies.push_back({.status = 200, .body = "{}"});
  ASSERT_TRUE(PatchStrategically(transport, "/x/status", "body").ok());
  const HttpRequest& request = transport.requests[0];
  EXPECT_EQ(request.method, HttpMethod::kPatch);
  EXPECT_EQ(request.target, "/x/status");
  EXPECT_EQ(request.content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(request.body, "body");
}

TEST(JsonCall, APatchByOperationsHasATypeOfItsOwn) {
  ScriptedTransport transport;
  transport.replies.push_back({.status = 200, .body = "{}"});
  ASSERT_TRUE(PatchByOperations(transport, "/x", "[]").ok());
  const HttpRequest& request = transport.requests[0];
  EXPECT_EQ(request.method, HttpMethod::kPatch);
  EXPECT_EQ(request.content_type, "application/json-patch+json");
  EXPECT_EQ(request.body, "[]");
}

TEST(JsonCall, ErrorsTellWhatToDoAndWhatTheServerSaid) {
  struct Case {
    int status;
    const char* body;
    absl::StatusCode code;
    const char* message;
  };
  const Case cases[] = {
      {400, "{}", absl::StatusCode::kInvalidArgument, "PUT /x: 400: no reason was given"},
      {401, "", absl::StatusCode::kPermissionDenied, "PUT /x: 401: no reason was given"},
      {403, R"({"kind": "Status", "message": "nodes \"a\" is forbidden"})",
       absl::StatusCode::kPermissionDenied, "PUT /x: 403: nodes \"a\" is forbidden"},
      {403,
       R"({"message": "it is being terminated",
           "details": {"causes": [{"reason": "NamespaceTerminating", "field": "metadata.namespace"}]}})",
       absl::StatusCode::kNotFound, "PUT /x: 403: it is being terminated"},
      {404, R"({"message": "gone"})", absl::StatusCode::kNotFound, "PUT /x: 404: gone"},
      {409, R"({"message": "modified"})", absl::StatusCode::kAborted, "PUT /x: 409: modified"},
      {422, R"({"message": 7})", absl::StatusCode::kInvalidArgument,
       "PUT /x: 422: no reason was given"},
      {429, R"({"message": "Cannot evict pod"})", absl::StatusCode::kResourceExhausted,
       "PUT /x: 429: Cannot evict pod"},
      {502, "<html>", absl::StatusCode::kUnavailable, "PUT /x: 502: \"<html>\""},
      {503, "[]", absl::StatusCode::kUnavailable, "PUT /x: 503: no reason was given"},
      {301, "", absl::StatusCode::kUnavailable, "PUT /x: 301: no reason was given"},
  };
  for (const Case& c : cases) {
    ScriptedTransport transport;
    transport.replies.push_back({.status = c.status, .body = c.body});
    const absl::Status status = CallJson(transport, HttpMethod::kPut, "/x").status();
    EXPECT_EQ(status.code(), c.code) << c.status;
    EXPECT_EQ(status.message(), c.message);
  }
}

// Nobody has carried it out.
TEST(JsonCall, APageOfAProxyIsNoSuccess) {
  for (const char* type : {"text/html; charset=utf-8", ""}) {
    ScriptedTransport transport;
    transport.replies.push_back({.status = 200, .body = "<html>", .content_type = type});
    const absl::Status status = CallJson(transport, HttpMethod::kPatch, "/x").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(status.message(), std::string("PATCH /x: answered as \"") + type +
                                    "\" instead of application/json; is this a Kubernetes API "
                                    "server?");
  }
}

TEST(JsonCall, KeepsTheKindOfTheTransportsError) {
  for (const absl::Status& error :
       {absl::UnavailableError("down"), absl::DeadlineExceededError("slow")}) {
    ScriptedTransport transport;
    transport.replies.push_back({.error = error});
    const absl::Status status = CallJson(transport, HttpMethod::kGet, "/x").status();
    EXPECT_EQ(status.code(), error.code());
    EXPECT_EQ(status.message(), "GET /x: " + std::string(error.message()));
  }
}

}  // namespace
}  // namespace berth::kube
