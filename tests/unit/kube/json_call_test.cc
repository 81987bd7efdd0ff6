#include "kube/json_call.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json_api.h"
#include "tests/unit/kube/paged_server.h"
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
      {429,
       R"({"message": "Cannot evict pod", "details": {"causes": [{"reason":"DisruptionBudget"}]}})",
       absl::StatusCode::kResourceExhausted, "PUT /x: 429: Cannot evict pod"},
      {429, R"({"message": "Too many requests, please try again later."})",
       absl::StatusCode::kUnavailable, "PUT /x: 429: Too many requests, please try again later."},
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

TEST(JsonCall, AReplyThatIsTooLargeHasAnErrorOfItsOwn) {
  for (const char* type : {"application/json", "text/html"}) {
    ScriptedTransport transport;
    transport.replies.push_back({.body = "[1,2]", .content_type = type});
    const absl::Status status = CallJson(transport, HttpMethod::kGet, "/x", "", 4).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
    EXPECT_EQ(status.message(), "GET /x: the reply has over 4 bytes");
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

/// Lists pods of which each has about as many bytes as `sizes` says, and whose names are their
/// indices.
class JsonList {
 public:
  explicit JsonList(std::vector<std::size_t> sizes)
      : sizes_(std::move(sizes)),
        server_({{"/pods", sizes_.size()}}, "application/json",
                [this](const std::string&, std::size_t first, std::size_t end,
                       const std::string& continue_token) {
                  return PageOf(first, end, continue_token);
                }) {}

  absl::Status List() {
    const Need need{.permission = {"", "pods", "list"}};
    return Api(&server_).List("/pods", need, [this](const JsonValue& pod) {
      names_.push_back(pod.Field("metadata").Field("name").Text());
    });
  }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& asked() const { return server_.asked; }

  /// The names of all pods in order.
  std::vector<std::string> AllNames() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < sizes_.size(); ++i) all.push_back(std::to_string(i));
    return all;
  }

 private:
  std::string PageOf(std::size_t first, std::size_t end, const std::string& continue_token) const {
    std::string body = R"({"metadata":{"continue":")" + continue_token + R"("},"items":[)";
    for (std::size_t i = first; i < end; ++i) {
      if (i > first) body += ',';
      body += R"({"metadata":{"name":")" + std::to_string(i) + R"(","annotations":{"large":")";
      body.append(sizes_[i], 'x');
      body += R"("}}})";
    }
    body += "]}";
    return body;
  }

  const std::vector<std::size_t> sizes_;
  PagedServer server_;
  std::vector<std::string> names_;
};

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

TEST(JsonApi, APageOfLargeObjectsIsAskedForInSmallerPieces) {
  JsonList list(std::vector<std::size_t>(20, kMebibyte * 3 / 2));
  const absl::Status listed = list.List();
  ASSERT_TRUE(listed.ok()) << listed;
  EXPECT_EQ(list.names(), list.AllNames());
  EXPECT_THAT(list.asked(), testing::ElementsAre("0+250", "0+62", "0+15", "0+3", "3+3", "6+3",
                                                 "9+3", "12+3", "15+3", "18+3"));
}

TEST(JsonApi, PagesGrowAgainAfterALargeObject) {
  std::vector<std::size_t> sizes(11, 100);
  sizes[0] = 17 * kMebibyte;
  JsonList list(sizes);
  const absl::Status listed = list.List();
  ASSERT_TRUE(listed.ok()) << listed;
  EXPECT_EQ(list.names(), list.AllNames());
  EXPECT_THAT(list.asked(),
              testing::ElementsAre("0+250", "0+62", "0+15", "0+3", "0+1", "1+1", "2+4", "6+16"));
}

TEST(JsonApi, OneObjectThatIsTooLargeIsAnError) {
  PagedServer server = ServerOfTooLargeObjects("/pods", "application/json");
  const Need need{.permission = {"", "pods", "list"}};
  const absl::Status listed = Api(&server).List("/pods", need, [](const JsonValue&) {});
  EXPECT_TRUE(absl::IsOutOfRange(listed)) << listed;
  EXPECT_EQ(listed.message(), "GET /pods?limit=1: the reply has over 268435456 bytes");
  EXPECT_THAT(server.asked, testing::ElementsAre("0+250", "0+62", "0+15", "0+3", "0+1"));
}

}  // namespace
}  // namespace berth::kube
