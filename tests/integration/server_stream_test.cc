#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/integration/server_fixture.h"

namespace berth::tests {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

/// Pieces that the test puts in while the body is written.
class Pieces {
 public:
  void Put(std::optional<std::string> piece) {
    const std::lock_guard lock(mutex_);
    pieces_.push_back(std::move(piece));
    if (wake_) wake_();
  }

  bool AwaitGone() const {
    const auto deadline = std::chrono::steady_clock::now() + seconds(30);
    while (std::chrono::steady_clock::now() < deadline) {
      const std::lock_guard lock(mutex_);
      if (gone_) return true;
    }
    return false;
  }

  void Begin(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }

  void End() {
    const std::lock_guard lock(mutex_);
    wake_ = nullptr;
    gone_ = true;
  }

  void NoteRequest(std::string_view after) {
    const std::lock_guard lock(mutex_);
    asked_after_ = after;
  }
  std::string asked_after() const {
    const std::lock_guard lock(mutex_);
    return asked_after_;
  }

  std::optional<std::string> Take() {
    const std::lock_guard lock(mutex_);
    if (pieces_.empty()) return "";
    std::optional<std::string> piece = std::move(pieces_.front());
    pieces_.pop_front();
    return piece;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::optional<std::string>> pieces_;
  std::function<void()> wake_;
  bool gone_ = false;
  std::string asked_after_;
};

class Source final : public server::BodySource {
 public:
  explicit Source(Pieces& pieces) : pieces_(pieces) {}
  ~Source() override { pieces_.End(); }
  void Start(std::function<void()> wake) override { pieces_.Begin(std::move(wake)); }
  std::optional<std::string> Next() override { return pieces_.Take(); }

 private:
  Pieces& pieces_;
};

// Everything over plain HTTP and over TLS.
class ServerStreamTest : public ServerTest, public ::testing::WithParamInterface<bool> {
 protected:
  ~ServerStreamTest() override { listener.reset(); }

  void SetUp() override {
    if (GetParam()) UseTls();
    options.limits.close = std::chrono::milliseconds(200);
    options.address = "127.0.0.1:0";
    options.observer = seen;
    server::Route route{.method = "GET", .path = "/events"};
    route.handle = [this](const server::HttpRequest& request) {
      pieces.NoteRequest(request.field("last-event-id"));
      server::HttpResponse response{.content_type = "text/event-stream"};
      response.fields = {{"Cache-Control", "no-store"}};
      response.source = std::make_shared<Source>(pieces);
      return response;
    };
    auto started = server::Listener::Start(options, {route});
    ASSERT_TRUE(started.ok()) << started.status();
    listener = *std::move(started);
  }

  Pieces pieces;
};

INSTANTIATE_TEST_SUITE_P(Streams, ServerStreamTest, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Tls" : "Plain"; });

TEST_P(ServerStreamTest, PiecesArriveAsTheyComeUntilTheBodyEnds) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/events", "", "Last-Event-ID: 7\r\n")));
  const std::string header = client->ReadUntil("\r\n\r\n");
  EXPECT_THAT(header, HasSubstr("200 OK"));
  EXPECT_THAT(header, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_THAT(header, HasSubstr("Cache-Control: no-store"));
  EXPECT_THAT(header, HasSubstr("Connection: close"));
  EXPECT_THAT(header, Not(HasSubstr("Content-Length")));
  EXPECT_EQ(pieces.asked_after(), "7");
  pieces.Put("one");
  EXPECT_EQ(client->ReadUntil("one\r\n"), "3\r\none\r\n");
  pieces.Put("twelve bytes");
  EXPECT_EQ(client->ReadUntil("bytes\r\n"), "c\r\ntwelve bytes\r\n");
  pieces.Put(std::nullopt);
  EXPECT_EQ(client->ReadUntil("0\r\n\r\n"), "0\r\n\r\n");
  EXPECT_EQ(client->ReadToEnd(), End::kClosed);
  EXPECT_TRUE(seen->Await("request /events 200"));
}

TEST_P(ServerStreamTest, ALargePieceArrivesWhole) {
  const auto client = Connect();
  const std::string large(3 << 20, 'x');
  pieces.Put(large);
  ASSERT_TRUE(client->Send(Request("GET", "/events")));
  client->ReadUntil("\r\n\r\n");
  EXPECT_EQ(client->ReadUntil("x\r\n").size(), std::string("300000\r\n").size() + large.size() + 2);
}

TEST_P(ServerStreamTest, AnOrderlyEndFinishesTheBody) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/events")));
  client->ReadUntil("\r\n\r\n");
  pieces.Put("one");
  client->ReadUntil("one\r\n");
  EXPECT_TRUE(listener->Drain(seconds(10)));
  EXPECT_EQ(client->ReadUntil("0\r\n\r\n"), "0\r\n\r\n");
}

TEST_P(ServerStreamTest, TheSourceIsDestroyedWhenItsClientHasLeft) {
  auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/events")));
  client->ReadUntil("\r\n\r\n");
  client.reset();
  pieces.Put("one");
  pieces.Put("two");
  pieces.Put("three");
  EXPECT_TRUE(pieces.AwaitGone());
}

TEST_P(ServerStreamTest, EndsWithTheListener) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("GET", "/events")));
  client->ReadUntil("\r\n\r\n");
  listener.reset();
  EXPECT_TRUE(pieces.AwaitGone());
  pieces.Put("into the void");
}

TEST_P(ServerStreamTest, HeadHasNoBodyAndOldClientsAreRefused) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("HEAD", "/events")));
  EXPECT_EQ(client->ReadReply(/*head=*/true).status, 200);
  ASSERT_TRUE(client->Send("GET /events HTTP/1.0\r\nHost: berth\r\n\r\n"));
  EXPECT_EQ(client->ReadReply().status, 505);
}

}  // namespace
}  // namespace berth::tests
