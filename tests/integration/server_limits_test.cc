#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>

#include "tests/integration/server_fixture.h"

namespace berth::tests {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

// Short enough to wait for; what happens before must take less, on a slow machine, too.
constexpr milliseconds kSoon{300};
// Between two bytes of a client that sends just enough not to seem dead.
constexpr milliseconds kDrip{20};

// Everything over plain HTTP and over TLS.
class ServerLimitsTest : public ServerTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) UseTls();
  }

  // Sends byte after byte until the listener tells of `limit`; gives up after ten seconds.
  void DripUntil(RawClient& client, const std::string& limit) {
    for (int i = 0; i < 500 && !seen->Await("limit " + limit, 1, kDrip); ++i) client.Send("a");
  }

  std::unique_ptr<RawClient> Asking() {
    auto client = Connect();
    Ask(*client);
    return client;
  }

  void Ask(RawClient& client) {
    EXPECT_TRUE(client.Send(Request("GET", "/hello")));
    EXPECT_EQ(client.ReadReply().body, "hello");
  }
};

INSTANTIATE_TEST_SUITE_P(Streams, ServerLimitsTest, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Tls" : "Plain"; });

TEST_P(ServerLimitsTest, ClosesAnIdleConnection) {
  options.limits.idle = kSoon;
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/hello")));
  EXPECT_EQ(client->ReadReply().body, "hello");
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_EQ(client->error(), "");
  ASSERT_TRUE(seen->Await("closed"));
  EXPECT_EQ(seen->Count("limit idle_time"), 0) << "it had served its purpose";
}

TEST_P(ServerLimitsTest, ClosesAConnectionThatIsNeverUsed) {
  options.limits.idle = kSoon;
  Start();
  EXPECT_EQ(Connect()->ReadToEnd(), End::kClosed);
  EXPECT_TRUE(seen->Await("limit idle_time"));
}

TEST_P(ServerLimitsTest, KeepsAnIdleConnectionBeyondTheOtherLimits) {
  options.limits.header = options.limits.body = options.limits.write = milliseconds(50);
  options.limits.handshake = options.limits.close = milliseconds(50);
  options.limits.idle = kSoon;
  Start();
  const auto client = Connect();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_GE(std::chrono::steady_clock::now() - start, kSoon - milliseconds(50));
}

TEST_P(ServerLimitsTest, EndsAHeaderThatStops) {
  options.limits.header = kSoon;
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send("GET /hel"));
  EXPECT_EQ(client->ReadReply().status, 408);
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_EQ(seen->Count("limit header_time"), 1);
}

TEST_P(ServerLimitsTest, EndsAHeaderThatDrips) {
  options.limits.header = kSoon;
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send("GET /hello HTTP/1.1\r\nX: "));
  DripUntil(*client, "header_time");
  EXPECT_EQ(client->ReadReply().status, 408);
}

TEST_P(ServerLimitsTest, EndsABodyThatStops) {
  options.limits.body = kSoon;
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("POST", "/echo", "", "Content-Length: 10\r\n") + "half"));
  const ServerReply reply = client->ReadReply();
  EXPECT_EQ(reply.status, 408);
  EXPECT_EQ(reply.body, "the request body did not arrive within 300 ms\n");
  EXPECT_THAT(reply.header, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_EQ(seen->Count("limit body_time"), 1);
}

TEST_P(ServerLimitsTest, EndsABodyThatDrips) {
  options.limits.body = kSoon;
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("POST", "/echo", "", "Content-Length: 50000\r\n")));
  DripUntil(*client, "body_time");
  EXPECT_EQ(client->ReadReply().status, 408);
}

TEST_P(ServerLimitsTest, LetsTheRouteWordARefusal) {
  options.limits.body = kSoon;
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("POST", "/worded", "", "Content-Length: 10\r\n")));
  const ServerReply reply = client->ReadReply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "{\"Error\":\"the request body did not arrive within 300 ms\"}");
}

TEST_P(ServerLimitsTest, CutsAClientThatDoesNotReadItsReply) {
  options.limits.write = kSoon;
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/big")));
  EXPECT_TRUE(seen->Await("limit write_time"));
  EXPECT_TRUE(seen->Await("closed"));
  Asking();
}

TEST_P(ServerLimitsTest, DoesNotWaitLongForTheClientToClose) {
  options.limits.close = kSoon;
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/hello", "", "Connection: close\r\n")));
  EXPECT_EQ(client->ReadReply().body, "hello");
  EXPECT_TRUE(seen->Await("closed")) << "although the client keeps its side open";
}

TEST_P(ServerLimitsTest, RefusesAHeaderThatIsTooLarge) {
  Start();
  const auto client = Connect();
  const std::string field = "X: " + std::string(server::kMaxHeaderBytes, 'x') + "\r\n";
  ASSERT_TRUE(client->Send(Request("GET", "/hello", "", field)));
  const ServerReply reply = client->ReadReply();
  EXPECT_EQ(reply.status, 431);
  EXPECT_THAT(reply.body, HasSubstr("larger than 16384 bytes"));
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_EQ(seen->Count("limit header_bytes"), 1);
}

TEST_P(ServerLimitsTest, CountsTheRequestLineAndTheFieldsTogether) {
  Start();
  const auto client = Connect();
  const std::string half(server::kMaxHeaderBytes / 2, 'x');
  ASSERT_TRUE(client->Send(Request("GET", "/hello?" + half, "", "X: " + half + "\r\n")));
  EXPECT_EQ(client->ReadReply().status, 431);
  EXPECT_EQ(seen->Count("limit header_bytes"), 1);
}

TEST_P(ServerLimitsTest, ReadsAHeaderThatIsJustNotTooLarge) {
  Start();
  const auto client = Connect();
  const std::string field = "X: " + std::string(server::kMaxHeaderBytes - 200, 'x') + "\r\n";
  ASSERT_TRUE(client->Send(Request("GET", "/hello", "", field)));
  EXPECT_EQ(client->ReadReply().status, 200);
}

// A client that writes everything before it reads must see the answer, not a reset.
TEST_P(ServerLimitsTest, AnswersAClientThatSendsAWholeBodyThatIsTooLarge) {
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("POST", "/echo", std::string(2'000'000, 'b'))));
  const ServerReply reply = client->ReadReply();
  EXPECT_EQ(reply.status, 413);
  EXPECT_EQ(reply.body, "the request body is larger than 100000 bytes\n");
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_EQ(seen->Count("limit body_bytes"), 1);
}

// One that writes everything first, like kube-apiserver's client with a body that the system's
// buffers hold.
TEST_P(ServerLimitsTest, ShowsTheRouteTheFrontOfABodyThatIsTooLarge) {
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("POST", "/fronted", "the uid " + std::string(2'000'000, 'b'))));
  const ServerReply reply = client->ReadReply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "the uid : the request body is larger than 100000 bytes");
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_EQ(seen->Count("limit body_bytes"), 1);
}

TEST_P(ServerLimitsTest, AnswersByTheFrontWhereTheRestDoesNotCome) {
  options.limits.body = kSoon;
  Start();
  const std::string request = Request("POST", "/fronted", "the uid " + std::string(200'000, 'b'));
  const std::size_t header = request.find("the uid ");
  const auto stopped = Connect();
  ASSERT_TRUE(stopped->Send(request.substr(0, header + kFrontBytes)));
  EXPECT_EQ(stopped->ReadReply().body, "the uid : the request body is larger than 100000 bytes");
  const auto shorter = Connect();
  ASSERT_TRUE(shorter->Send(request.substr(0, header + 3)));
  EXPECT_EQ(shorter->ReadReply().body, "the: the request body did not arrive within 300 ms");
}

TEST_P(ServerLimitsTest, HeldBodiesMakeWayForThoseThatCome) {
  constexpr std::size_t kBody = 90'000;
  constexpr int kClients = 20;
  options.limits.bodies_bytes = 1024 * 1024;
  Start();
  const std::string request = Request("POST", "/fronted", "the uid " + std::string(kBody, 'b'));
  std::vector<std::unique_ptr<RawClient>> holding;
  for (int i = 0; i < kClients; ++i) {
    holding.push_back(Connect());
    ASSERT_TRUE(holding.back()->Send(request.substr(0, kBody)));
    // The first is the oldest: its bytes have arrived when a whole request that came later is done.
    if (i == 0) {
      const auto later = Connect();
      ASSERT_TRUE(later->Send(request));
      ASSERT_EQ(later->ReadReply().status, 200);
    }
    // Where more has arrived than there is room for, the first has made way.
    ASSERT_TRUE(i < 12 || seen->Await("limit bodies_at_once", i - 11));
  }
  EXPECT_EQ(holding.front()->ReadReply().body,
            "the uid : other requests hold the 1048576 bytes that bodies and replies may take "
            "together; try again");
  for (int i = 0; i < 30; ++i) {
    const auto honest = Connect();
    ASSERT_TRUE(honest->Send(request));
    EXPECT_EQ(honest->ReadReply().status, 200);
  }
  ASSERT_TRUE(holding.back()->Send(request.substr(kBody)));
  EXPECT_EQ(holding.back()->ReadReply().status, 200) << "it was not its turn";
}

TEST_P(ServerLimitsTest, AReplyThatCannotBeHeldIsOneByTheFront) {
  options.limits.bodies_bytes = 1024;
  Start();
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("POST", "/swollen", "the uid ")));
  const ServerReply reply = client->ReadReply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body,
            "the uid : the reply does not fit into the 1024 bytes that bodies and replies may take "
            "together; send a smaller request");
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_EQ(seen->Count("limit bodies_at_once"), 1);
}

TEST_P(ServerLimitsTest, RepliesThatNobodyReadsMakeWay) {
  options.limits.bodies_bytes = 80 * 1024 * 1024;
  Start();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(Connect());
    ASSERT_TRUE(clients.back()->Send(Request("GET", "/big")));
    ASSERT_TRUE(clients.back()->AwaitBytes());
  }
  EXPECT_TRUE(seen->Await("limit bodies_at_once"));
  EXPECT_TRUE(seen->Await("closed"));
  EXPECT_EQ(clients.back()->ReadReply().body.size(), 32U << 20U);
}

TEST_P(ServerLimitsTest, RefusesChunksThatAddUpToTooMuch) {
  Start();
  const auto client = Connect();
  std::string request = Request("POST", "/worded", "", "Transfer-Encoding: chunked\r\n");
  for (int i = 0; i < 3; ++i) request += "4\r\nfour\r\n";
  ASSERT_TRUE(client->Send(request + "0\r\n\r\n"));
  EXPECT_EQ(client->ReadReply().body, "{\"Error\":\"the request body is larger than 10 bytes\"}");
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
}

// A listener with room for three connections, all taken.
class ServerCapTest : public ServerLimitsTest {
 protected:
  void SetUp() override {
    ServerLimitsTest::SetUp();
    options.limits.connections = 3;
    Start();
  }
};

INSTANTIATE_TEST_SUITE_P(Streams, ServerCapTest, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Tls" : "Plain"; });

TEST_P(ServerCapTest, SilentOnesMakeWay) {
  const auto asking = Asking();
  RawClient nothing(listener->port());  // over TLS: without a handshake
  ASSERT_TRUE(seen->Await("opened", 2));
  const auto silent = Connect();
  ASSERT_TRUE(seen->Await("opened", 3));
  EXPECT_EQ(seen->Count("limit connections"), 0);

  const auto first = Asking();
  EXPECT_NE(nothing.ReadToEnd(), End::kTimeout);
  EXPECT_EQ(seen->Count("limit connections"), 1);
  const auto second = Asking();
  EXPECT_NE(silent->ReadToEnd(), End::kTimeout);
  EXPECT_EQ(seen->Count("limit connections"), 2);
  for (RawClient* client : {asking.get(), first.get(), second.get()}) Ask(*client);
  EXPECT_EQ(seen->Count("handshake closed"), 0) << "it was not the client that left";
}

TEST_P(ServerCapTest, SlowOnesMakeWay) {
  const auto asking = Asking();
  const auto header = Connect();
  ASSERT_TRUE(header->Send("GET /hel"));
  ASSERT_TRUE(seen->Await("opened", 2));
  const auto body = Connect();
  ASSERT_TRUE(body->Send(Request("POST", "/echo", "", "Content-Length: 10\r\n") + "half"));
  ASSERT_TRUE(seen->Await("opened", 3));

  const auto first = Asking();
  const auto second = Asking();
  EXPECT_NE(header->ReadToEnd(), End::kTimeout);
  EXPECT_NE(body->ReadToEnd(), End::kTimeout);
  for (RawClient* client : {asking.get(), first.get(), second.get()}) Ask(*client);
}

TEST_P(ServerCapTest, WhereAllAskTheOneThatAskedLongestAgoMakesWay) {
  const auto first = Asking();
  const auto second = Asking();
  const auto third = Asking();
  Ask(*first);
  const auto fourth = Asking();
  EXPECT_NE(second->ReadToEnd(), End::kTimeout);
  for (RawClient* client : {first.get(), third.get(), fourth.get()}) Ask(*client);
  EXPECT_EQ(seen->Count("limit connections"), 1);
}

// There is room for all clients that ask, because the listener may notice late that one has left.
TEST_P(ServerLimitsTest, AFloodOfSilentOnesKeepsNobodyOut) {
  options.limits.connections = 8;
  Start();
  const auto asking = Asking();
  std::vector<std::unique_ptr<RawClient>> flood;
  for (int i = 0; i < 200; ++i) {
    flood.push_back(std::make_unique<RawClient>(listener->port()));
    if (i % 50 == 0) Asking();
  }
  Ask(*asking);
}

// Leaves the process one more descriptor than it has open, until destroyed.
class OneMoreDescriptor {
 public:
  OneMoreDescriptor() {
    getrlimit(RLIMIT_NOFILE, &former_);
    const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(next);
    rlimit lowered = former_;
    lowered.rlim_cur = static_cast<rlim_t>(next) + 1;
    setrlimit(RLIMIT_NOFILE, &lowered);
  }
  ~OneMoreDescriptor() { setrlimit(RLIMIT_NOFILE, &former_); }
  OneMoreDescriptor(const OneMoreDescriptor&) = delete;
  OneMoreDescriptor& operator=(const OneMoreDescriptor&) = delete;

 private:
  rlimit former_{};
};

TEST_F(ServerTest, AcceptsAgainAfterItRanOutOfDescriptors) {
  Start();
  // UndefinedBehaviorSanitizer opens a pipe when it meets a type for the first time; let it do so
  // while it can.
  const auto first = Connect();
  ASSERT_TRUE(first->Send(Request("GET", "/throw")));
  ASSERT_EQ(first->ReadReply().status, 500);
  ASSERT_TRUE(seen->Await("request /throw 500"));

  std::unique_ptr<RawClient> client;
  {
    const OneMoreDescriptor limit;
    client = Connect();
    ASSERT_TRUE(client->connected());
    ASSERT_TRUE(client->Send(Request("GET", "/hello")));
    ASSERT_TRUE(seen->Await("error", 3)) << "it tries again and again";
  }
  EXPECT_THAT(seen->Errors().back(), HasSubstr("cannot accept a connection: Too many open files"));
  EXPECT_EQ(client->ReadReply().body, "hello");
}

}  // namespace
}  // namespace berth::tests
