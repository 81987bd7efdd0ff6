#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "tests/integration/server_fixture.h"

namespace berth::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Everything over plain HTTP and over TLS.
class ServerHttpTest : public ServerTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) UseTls();
    Start();
  }
};

INSTANTIATE_TEST_SUITE_P(Streams, ServerHttpTest, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Tls" : "Plain"; });

TEST_P(ServerHttpTest, AnswersSeveralRequestsOnOneConnection) {
  const auto client = Connect();
  for (const std::string body : {"first", "second", "third"}) {
    ASSERT_TRUE(client->Send(Request("POST", "/echo", body)));
    const ServerReply reply = client->ReadReply();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, body);
    EXPECT_THAT(reply.header, HasSubstr("\r\nContent-Type: text/plain\r\n"));
    EXPECT_THAT(reply.header, Not(HasSubstr("Connection: close")));
  }
  EXPECT_EQ(seen->Count("opened"), 1);
}

TEST_P(ServerHttpTest, AnswersPipelinedRequestsInOrder) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("POST", "/echo", "one") + Request("GET", "/hello") +
                           Request("POST", "/echo", "three")));
  EXPECT_EQ(client->ReadReply().body, "one");
  EXPECT_EQ(client->ReadReply().body, "hello");
  EXPECT_EQ(client->ReadReply().body, "three");
}

TEST_P(ServerHttpTest, ReadsARequestThatComesByteByByte) {
  const auto client = Connect();
  for (const char byte : Request("POST", "/echo", "slow")) {
    ASSERT_TRUE(client->Send(std::string_view(&byte, 1)));
  }
  EXPECT_EQ(client->ReadReply().body, "slow");
}

TEST_P(ServerHttpTest, ReadsABodyAsLargeAsAllowed) {
  const auto client = Connect();
  const std::string body(kEchoMaxBody, 'b');
  ASSERT_TRUE(client->Send(Request("POST", "/echo", body)));
  EXPECT_EQ(client->ReadReply().body, body);
}

TEST_P(ServerHttpTest, ReadsChunkedBodies) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("POST", "/echo", "", "Transfer-Encoding: chunked\r\n") +
                           "4\r\nBert\r\n1;note=1\r\nh\r\n0\r\n\r\n" + Request("GET", "/hello")));
  EXPECT_EQ(client->ReadReply().body, "Berth");
  EXPECT_EQ(client->ReadReply().body, "hello");
}

TEST_P(ServerHttpTest, TellsAClientThatAsksToContinue) {
  const auto client = Connect();
  ASSERT_TRUE(
      client->Send(Request("POST", "/echo", "", "Content-Length: 5\r\nExpect: 100-continue\r\n")));
  EXPECT_EQ(client->ReadReply().header, "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client->Send("berth"));
  EXPECT_EQ(client->ReadReply().body, "berth");
}

TEST_P(ServerHttpTest, DoesNotAskForABodyThatItWillRefuse) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(
      Request("POST", "/worded", "", "Content-Length: 11\r\nExpect: 100-continue\r\n")));
  EXPECT_EQ(client->ReadReply().body, "{\"Error\":\"the request body is larger than 10 bytes\"}");
}

TEST_P(ServerHttpTest, AnswersHeadWithoutBody) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("HEAD", "/hello") + Request("GET", "/hello")));
  const ServerReply head = client->ReadReply(/*head=*/true);
  EXPECT_EQ(head.status, 200);
  EXPECT_THAT(head.header, HasSubstr("\r\nContent-Length: 5\r\n"));
  EXPECT_EQ(client->ReadReply().body, "hello");
}

TEST_P(ServerHttpTest, IgnoresTheQueryWhenItLooksForARoute) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/hello?verbose")));
  EXPECT_EQ(client->ReadReply().status, 200);
}

TEST_P(ServerHttpTest, ClosesWhenTheClientAsksForIt) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/hello", "", "Connection: close\r\n")));
  const ServerReply reply = client->ReadReply();
  EXPECT_EQ(reply.body, "hello");
  EXPECT_THAT(reply.header, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
}

TEST_P(ServerHttpTest, ClosesAfterHttp10) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send("GET /hello HTTP/1.0\r\n\r\n"));
  EXPECT_EQ(client->ReadReply().body, "hello");
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
}

TEST_P(ServerHttpTest, SurvivesAHandlerThatThrows) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/throw") + Request("GET", "/hello")));
  const ServerReply reply = client->ReadReply();
  EXPECT_EQ(reply.status, 500);
  EXPECT_THAT(reply.body, Not(HasSubstr("no luck"))) << "internals are for the log";
  EXPECT_EQ(client->ReadReply().body, "hello");
  ASSERT_TRUE(seen->Await("error"));
  EXPECT_THAT(seen->Errors().front(), HasSubstr("handler of GET /throw threw: no luck"));
}

TEST_P(ServerHttpTest, ForgetsAClientThatLeavesInTheMiddleOfABody) {
  {
    const auto client = Connect();
    ASSERT_TRUE(client->Send(Request("POST", "/echo", "", "Content-Length: 10\r\n") + "half"));
  }
  EXPECT_TRUE(seen->Await("closed"));
  EXPECT_EQ(seen->Count("request /echo 200"), 0);
  const auto next = Connect();
  ASSERT_TRUE(next->Send(Request("GET", "/hello")));
  EXPECT_EQ(next->ReadReply().body, "hello");
}

TEST_P(ServerHttpTest, TellsTheObserverOfEachRequest) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/hello") + Request("GET", "/nowhere")));
  EXPECT_TRUE(seen->Await("request /hello 200"));
  EXPECT_TRUE(seen->Await("request  404"));
}

struct Refused {
  std::string name;
  std::string request;
  int status;
  std::string contained;
  bool stays_open;
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

class ServerRefusalTest : public ServerTest, public ::testing::WithParamInterface<Refused> {};

const Refused kRefused[] = {
    {"UnknownPath", Request("GET", "/nowhere"), 404, "nothing at this path", true},
    {"UnknownPathWithBody", Request("POST", "/nowhere", "unread"), 404, "", false},
    {"WrongMethod", Request("DELETE", "/echo"), 405, "\r\nAllow: POST\r\n", true},
    {"WrongMethodOfGet", Request("PUT", "/hello"), 405, "\r\nAllow: GET, HEAD\r\n", true},
    {"BodyForGet", Request("GET", "/hello", "body"), 413, "larger than 0 bytes", false},
    {"UnknownExpectation", Request("POST", "/echo", "x", "Expect: miracles\r\n"), 417, "", false},
    {"NoHost", "GET /hello HTTP/1.1\r\n\r\n", 400, "Host", false},
    {"TwoHosts", Request("GET", "/hello", "", "Host: other\r\n"), 400, "Host", false},
    {"UnknownTransferEncoding", Request("POST", "/echo", "", "Transfer-Encoding: gzip\r\n"), 501,
     "chunked", false},
    // The two ways to say where a body ends must not disagree, or requests can be smuggled.
    {"LengthAndChunked",
     Request("POST", "/echo", "", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n") +
         "0\r\n\r\n",
     400, "bad request", false},
    {"TwoLengths", Request("POST", "/echo", "", "Content-Length: 3\r\nContent-Length: 4\r\n"), 400,
     "bad request", false},
    {"NegativeLength", Request("POST", "/echo", "", "Content-Length: -1\r\n"), 400, "", false},
    {"HugeLength", Request("POST", "/echo", "", "Content-Length: 9000000000000000000\r\n"), 413,
     "larger than", false},
    {"BrokenChunk", Request("POST", "/echo", "", "Transfer-Encoding: chunked\r\n") + "zz\r\n", 400,
     "chunked body", false},
    {"BrokenTrailer",
     Request("POST", "/echo", "", "Transfer-Encoding: chunked\r\n") + "0\r\nno colon\r\n\r\n", 400,
     "chunked body", false},
    {"NotHttp", "SSH-2.0-OpenSSH_9.2\r\n\r\n", 400, "bad request", false},
    {"TlsBytes", std::string("\x16\x03\x01\x02\x00\x01\x00", 7), 400, "bad request", false},
    {"Http2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad request", false},
};

INSTANTIATE_TEST_SUITE_P(Requests, ServerRefusalTest, ::testing::ValuesIn(kRefused),
                         [](const auto& each) { return each.param.name; });

TEST_P(ServerRefusalTest, AnswersAndClosesWhatCannotGoOn) {
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send(GetParam().request));
  const ServerReply reply = client->ReadReply();
  EXPECT_EQ(reply.status, GetParam().status);
  EXPECT_THAT(reply.header + reply.body, HasSubstr(GetParam().contained));
  if (GetParam().stays_open) {
    ASSERT_TRUE(client->Send(Request("GET", "/hello")));
    EXPECT_EQ(client->ReadReply().body, "hello");
  } else {
    EXPECT_THAT(reply.header, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  }
}

}  // namespace
}  // namespace berth::tests
