#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "tests/integration/server_fixture.h"

namespace berth::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

// Everything over plain HTTP and over TLS.
class ServerDrainTest : public ServerTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) UseTls();
    // Clients of these tests leave their side open until they are destroyed.
    options.limits.close = milliseconds(200);
    Start();
  }

  std::future<bool> DrainInBackground(milliseconds time = seconds(10)) {
    return std::async(std::launch::async, [this, time] { return listener->Drain(time); });
  }

  // Returns when nobody listens on the port any more, after ten seconds at most.
  void AwaitRefusedConnections() const {
    const auto deadline = steady_clock::now() + seconds(10);
    while (RawClient(listener->port()).connected() && steady_clock::now() < deadline) {
    }
    EXPECT_FALSE(RawClient(listener->port()).connected());
  }
};

INSTANTIATE_TEST_SUITE_P(Streams, ServerDrainTest, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Tls" : "Plain"; });

TEST_P(ServerDrainTest, ClosesIdleConnectionsAtOnce) {
  const auto used = Connect();
  ASSERT_TRUE(used->Send(Request("GET", "/hello")));
  ASSERT_EQ(used->ReadReply().body, "hello");
  const auto unused = Connect();
  ASSERT_TRUE(seen->Await("opened", 2));

  const auto start = steady_clock::now();
  std::future<bool> drained = DrainInBackground();
  EXPECT_EQ(used->ReadToEnd(), End::kClosed);
  EXPECT_EQ(used->error(), "") << "TLS ends with close_notify";
  EXPECT_EQ(unused->ReadToEnd(), End::kClosed);
  EXPECT_TRUE(drained.get());
  EXPECT_LT(steady_clock::now() - start, seconds(9)) << "not only at the deadline";
  EXPECT_EQ(seen->Count("closed"), seen->Count("opened"));
  AwaitRefusedConnections();
}

TEST_P(ServerDrainTest, AnswersWhatAHandlerIsWorkingOn) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/gate")));
  ASSERT_TRUE(gate.AwaitArrival());
  std::future<bool> drained = DrainInBackground();
  AwaitRefusedConnections();
  gate.Open();

  const ServerReply reply = client->ReadReply();
  EXPECT_EQ(reply.body, "passed");
  EXPECT_THAT(reply.header, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_TRUE(drained.get());
}

TEST_P(ServerDrainTest, AnswersARequestThatHasArrivedByHalf) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/hello") + "GET /hel"));
  ASSERT_EQ(client->ReadReply().body, "hello");
  std::future<bool> drained = DrainInBackground();
  AwaitRefusedConnections();
  ASSERT_TRUE(client->Send("lo HTTP/1.1\r\nHost: berth\r\n\r\n"));
  EXPECT_EQ(client->ReadReply().body, "hello");
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_TRUE(drained.get());
}

TEST_P(ServerDrainTest, DoesNotCutAReplyThatIsBeingWritten) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/big")));
  ASSERT_TRUE(client->AwaitBytes());
  std::future<bool> drained = DrainInBackground();
  AwaitRefusedConnections();
  const ServerReply reply = client->ReadReply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body.size(), 32U * 1024 * 1024);
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_TRUE(drained.get());
}

TEST_P(ServerDrainTest, CutsAtTheDeadlineWhatDoesNotEnd) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/big")));
  ASSERT_TRUE(client->AwaitBytes());
  const auto start = steady_clock::now();
  EXPECT_FALSE(listener->Drain(milliseconds(200)));
  EXPECT_LT(steady_clock::now() - start, seconds(5));
}

TEST_P(ServerDrainTest, EndsWithoutDraining) {
  const auto idle = Connect();
  const auto busy = Connect();
  ASSERT_TRUE(busy->Send(Request("GET", "/big")));
  ASSERT_TRUE(busy->AwaitBytes());
  listener.reset();
  EXPECT_EQ(seen->Count("closed"), seen->Count("opened"));
}

TEST_P(ServerDrainTest, AsksClientsToLeaveBeforeItDrains) {
  const auto early = Connect();
  ASSERT_TRUE(early->Send(Request("GET", "/hello")));
  ASSERT_EQ(early->ReadReply().body, "hello");
  listener->BeginClosing();
  const auto late = Connect();
  for (const auto& client : {&early, &late}) {
    ASSERT_TRUE((*client)->Send(Request("GET", "/hello")));
    const ServerReply reply = (*client)->ReadReply();
    EXPECT_EQ(reply.body, "hello");
    EXPECT_THAT(reply.header, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_EQ((*client)->ReadToEnd(), End::kClosed);
  }
}

}  // namespace
}  // namespace berth::tests
