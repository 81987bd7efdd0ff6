#include "server/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace berth::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Listening : public ListenerObserver {
 public:
  void OnLimit(Limit limit) override { limits.emplace_back(Name(limit)); }
  void OnError(std::string_view message) override { errors.emplace_back(message); }

  std::vector<std::string> limits;
  std::vector<std::string> errors;
};

class ExchangeTest : public ::testing::Test {
 protected:
  ExchangeTest() {
    route.method = "POST";
    route.path = "/x";
    route.max_body = 10;
    route.handle = [](const HttpRequest&) { return HttpResponse{201, "text/plain", "made"}; };
    match.route = &route;
    head.content_length = 10;
  }

  std::optional<Reply> Refuse() { return RefuseByHead(observer, limits, match, head); }

  Listening observer;
  ListenerLimits limits;
  Route route;
  Router::Match match;
  RequestHead head;
};

TEST_F(ExchangeTest, WantsABodyUpToTheLimit) { EXPECT_FALSE(Refuse()); }

TEST_F(ExchangeTest, RefusesABodyOverTheLimitByItsHeader) {
  head.content_length = 11;
  const auto reply = Refuse();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->response.status, 413);
  EXPECT_EQ(reply->response.body, "the request body is larger than 10 bytes\n");
  EXPECT_TRUE(reply->close);
  EXPECT_THAT(observer.limits, ElementsAre("body_bytes"));
}

TEST_F(ExchangeTest, WantsTheFrontOfABodyOverTheLimitForARouteThatAnswersByIt) {
  head.content_length = 11;
  route.reject_bytes = 4;
  EXPECT_FALSE(Refuse());
  head.expect = "100-continue";
  EXPECT_EQ(Refuse()->response.status, 413) << "it sends nothing before it is told to";
}

TEST_F(ExchangeTest, ReadsExpectationsInAnyCase) {
  head.expect = "100-Continue";
  EXPECT_FALSE(Refuse());
  head.expect = "100-continue, more";
  EXPECT_EQ(Refuse()->response.status, 417);
}

TEST_F(ExchangeTest, NeedsOneHostFromHttp11On) {
  head.host_fields = 0;
  EXPECT_EQ(Refuse()->response.status, 400);
  head.version = 10;
  EXPECT_FALSE(Refuse());
}

TEST_F(ExchangeTest, KeepsTheConnectionOnlyWhereNothingWasLeftUnread) {
  match = {nullptr, ""};
  EXPECT_TRUE(Refuse()->close);
  head.content_length = 0;
  EXPECT_FALSE(Refuse()->close);
  head.has_transfer_encoding = head.chunked = true;
  EXPECT_TRUE(Refuse()->close);
}

TEST_F(ExchangeTest, LetsTheRouteWordARejection) {
  limits.body = std::chrono::milliseconds(1500);
  route.reject = [](const Rejection& rejection) {
    EXPECT_EQ(rejection.cause, RejectionCause::kBodyTimeout);
    EXPECT_EQ(rejection.body, "front");
    return HttpResponse{200, "application/json", rejection.message};
  };
  const Reply reply = RejectBody(observer, limits, route, RejectionCause::kBodyTimeout, "front");
  EXPECT_EQ(reply.response.status, 200);
  EXPECT_EQ(reply.response.body, "the request body did not arrive within 1500 ms");
  EXPECT_TRUE(reply.close);
  EXPECT_THAT(observer.limits, ElementsAre("body_time"));
}

TEST_F(ExchangeTest, PassesOnWhatTheHandlerAnswers) {
  const Reply reply = Handle(observer, route, {"POST", "/x", "body"});
  EXPECT_EQ(reply.response.status, 201);
  EXPECT_EQ(reply.response.body, "made");
  EXPECT_FALSE(reply.close);
  EXPECT_THAT(observer.errors, IsEmpty());
}

TEST_F(ExchangeTest, CountsTheLimitForWhichAHandlerRefuses) {
  route.handle = [](const HttpRequest&) -> HttpResponse {
    return {.status = 413, .limit = Limit::kBodyBytes};
  };
  EXPECT_EQ(Handle(observer, route, {}).response.status, 413);
  EXPECT_THAT(observer.limits, ElementsAre("body_bytes"));
}

TEST_F(ExchangeTest, TurnsWhateverIsThrownIntoAnInternalError) {
  route.handle = [](const HttpRequest&) -> HttpResponse { throw std::logic_error("a bug"); };
  EXPECT_EQ(Handle(observer, route, {}).response.status, 500);
  route.handle = [](const HttpRequest&) -> HttpResponse { throw 42; };
  EXPECT_EQ(Handle(observer, route, {}).response.status, 500);
  route.reject = [](const Rejection&) -> HttpResponse { throw std::logic_error("another"); };
  const Reply reply = RejectBody(observer, limits, route, RejectionCause::kBodyTooLarge);
  EXPECT_EQ(reply.response.status, 500);
  EXPECT_TRUE(reply.close);
  EXPECT_THAT(observer.errors, ElementsAre("handler of POST /x threw: a bug",
                                           HasSubstr("no std::exception"), HasSubstr("another")));
}

}  // namespace
}  // namespace berth::server
