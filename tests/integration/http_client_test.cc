// The HTTP client against sockets that do as they are told; plain HTTP, as to `kubectl proxy`.
#include "kube/http_client.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <new>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "tests/integration/http_client_fixture.h"

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A server that the kernel lets nobody reach: its backlog is full, so no SYN is answered.
class DeafServer {
 public:
  DeafServer() {
    listen(server_.listener(), 0);
    sockaddr_in address{};
    socklen_t size = sizeof address;
    getsockname(server_.listener(), reinterpret_cast<sockaddr*>(&address), &size);
    for (int& socket : fill_) {
      socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
  }
  ~DeafServer() {
    for (const int socket : fill_) close(socket);
  }

  ApiConfig Config() const { return server_.Config(); }

 private:
  Server server_;
  int fill_[4] = {};
};

TEST(HttpClient, SendsWhatIsAskedAndGivesWhatIsSaid) {
  Server server;
  ApiConfig config = server.Config();
  config.base_path = "/k8s";
  config.token = TextSource::Text(" secret\n");
  HttpClient client(config);
  std::string request;
  std::thread peer([&] {
    server.Accept();
    request = server.Read();
    server.Write(
        "HTTP/1.1 429 No\r\nRetry-After: 7\r\nContent-Type: a/b\r\n"
        "Content-Length: 3\r\n\r\nabc");
  });
  Kept kept;
  const absl::Status status =
      client.Send({.target = "/api/v1/nodes?limit=5", .accept = "x/y"}, kept);
  peer.join();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(request.rfind("GET /k8s/api/v1/nodes?limit=5 HTTP/1.1\r\n", 0), 0u) << request;
  EXPECT_NE(request.find("Host: 127.0.0.1:" + config.port + "\r\n"), std::string::npos) << request;
  EXPECT_NE(request.find("Accept: x/y\r\n"), std::string::npos) << request;
  EXPECT_NE(request.find("Authorization: Bearer secret\r\n"), std::string::npos) << request;
  EXPECT_EQ(kept.head.status, 429);
  EXPECT_EQ(kept.head.retry_after, seconds(7));
  EXPECT_EQ(kept.head.content_type, "a/b");
  EXPECT_EQ(kept.body, "abc");
}

TEST(HttpClient, TellsEveryWarning) {
  Server server;
  HttpClient client(server.Config());
  std::thread peer([&] {
    server.Accept();
    server.Read();
    server.Write(
        "HTTP/1.1 201 Created\r\nWarning: 299 - \"one\"\r\nContent-Length: 0\r\n"
        "Warning: 299 - \"two\"\r\n\r\n");
  });
  Kept kept;
  EXPECT_TRUE(client.Send({.target = "/"}, kept).ok());
  peer.join();
  EXPECT_EQ(kept.head.warnings, (std::vector<std::string>{"299 - \"one\"", "299 - \"two\""}));
}

TEST(HttpClient, PassesEachPieceOnAtOnce) {
  Server server;
  HttpClient client(server.Config());
  Kept kept;
  std::thread peer([&] {
    server.Accept();
    server.Read();
    server.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int piece = 1; piece <= 3; ++piece) {
      server.Write("1\r\nx\r\n");
      while (kept.pieces < piece) std::this_thread::yield();  // or the test hangs
    }
    server.Write("0\r\n\r\n");
  });
  EXPECT_TRUE(client.Send({.target = "/"}, kept).ok());
  peer.join();
  EXPECT_EQ(kept.body, "xxx");
}

TEST(HttpClient, KeepsItsConnection) {
  Server server;
  HttpClient client(server.Config());
  std::thread peer([&] {
    server.Accept();
    for (int i = 0; i < 3; ++i) {
      server.Read();
      server.Write(kOk);
    }
  });
  for (int i = 0; i < 3; ++i) {
    Kept kept;
    EXPECT_TRUE(client.Send({.target = "/"}, kept).ok());
    EXPECT_EQ(kept.body, "ok");
  }
  peer.join();
}

// The server closes idle connections whenever it likes.
TEST(HttpClient, AsksAgainWhereAKeptConnectionTurnsOutDead) {
  Server server;
  HttpClient client(server.Config());
  std::thread peer([&] {
    for (int i = 0; i < 2; ++i) {
      server.Accept();
      server.Read();
      server.Write(kOk);
      server.Close();
    }
  });
  for (int i = 0; i < 2; ++i) {
    Kept kept;
    const absl::Status status = client.Send({.target = "/"}, kept);
    EXPECT_TRUE(status.ok()) << status;
  }
  peer.join();
}

TEST(HttpClient, ANewConnectionThatDiesIsAnError) {
  Server server;
  HttpClient client(server.Config());
  std::thread peer([&] {
    server.Accept();
    server.Read();
    server.Close();
  });
  Kept kept;
  const absl::Status status = client.Send({.target = "/"}, kept);
  peer.join();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_NE(status.message().find("waiting for the reply"), absl::string_view::npos) << status;
}

/// Bytes of a reply that is never finished, or is none, and then silence or the end.
struct BadReply {
  const char* bytes;
  bool close;
  absl::StatusCode code;
};

TEST(HttpClient, BadRepliesAreErrorsAndNeverHang) {
  const std::string huge = "HTTP/1.1 200 OK\r\nX: " + std::string(70000, 'x') + "\r\n\r\n";
  const BadReply cases[] = {
      {"", false, absl::StatusCode::kDeadlineExceeded},
      {"HTTP/1.1 200", false, absl::StatusCode::kDeadlineExceeded},
      {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", false, absl::StatusCode::kDeadlineExceeded},
      {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", true, absl::StatusCode::kUnavailable},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nx", true,
       absl::StatusCode::kUnavailable},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", false,
       absl::StatusCode::kUnavailable},
      {"SSH-2.0-OpenSSH\r\n", false, absl::StatusCode::kUnavailable},
      {huge.c_str(), false, absl::StatusCode::kUnavailable},
  };
  for (const BadReply& bad : cases) {
    Server server;
    HttpTimeouts timeouts;
    timeouts.head = milliseconds(200);
    HttpClient client(server.Config(), timeouts);
    std::thread peer([&] {
      server.Accept();
      server.Read();
      server.Write(bad.bytes);
      if (bad.close) server.Close();
    });
    Kept kept;
    const absl::Status status = client.Send({.target = "/", .silence = milliseconds(200)}, kept);
    peer.join();
    EXPECT_EQ(status.code(), bad.code) << status << " " << std::string(bad.bytes).substr(0, 60);
  }
}

TEST(HttpClient, TheSinksErrorEndsTheExchange) {
  Server server;
  HttpClient client(server.Config());
  std::thread peer([&] {
    server.Accept();
    server.Read();
    server.Write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    server.Read();  // ends when the client has closed
  });
  Kept kept;
  kept.verdict_on_head = absl::DataLossError("not mine");
  EXPECT_EQ(client.Send({.target = "/"}, kept), absl::DataLossError("not mine"));
  peer.join();
}

/// Has no memory for the first body.
class Forgetful final : public HttpSink {
 public:
  absl::Status OnHead(const HttpHead&) override { return absl::OkStatus(); }
  absl::Status OnBody(std::string_view) override {
    if (++pieces == 1) throw std::bad_alloc();
    return absl::OkStatus();
  }

  int pieces = 0;
};

TEST(HttpClient, WhatTheSinkThrowsIsAnErrorAfterWhichItAsksAgain) {
  Server server;
  HttpClient client(server.Config());
  std::thread peer([&] {
    for (int i = 0; i < 2; ++i) {
      server.Accept();
      server.Read();
      server.Write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
    }
  });
  Forgetful sink;
  const absl::Status thrown = client.Send({.target = "/", .accept = ""}, sink);
  const absl::Status status = client.Send({.target = "/", .accept = ""}, sink);
  peer.join();
  EXPECT_TRUE(absl::IsUnavailable(thrown)) << thrown;
  EXPECT_NE(thrown.message().find("bad_alloc"), absl::string_view::npos) << thrown;
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(sink.pieces, 2);
}

TEST(HttpClient, StopsWhileTheServerDoesNotEvenAccept) {
  DeafServer server;
  HttpClient client(server.Config());
  absl::Status status;
  std::atomic<bool> begun = false;
  std::thread getter([&] {
    Kept kept;
    begun = true;
    status = client.Send({.target = "/"}, kept);
  });
  while (!begun) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  client.Stop();
  getter.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(1));
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

TEST(HttpClient, ConnectingHasADeadline) {
  DeafServer server;
  HttpTimeouts timeouts;
  timeouts.connect = milliseconds(200);
  HttpClient client(server.Config(), timeouts);
  Kept kept;
  const absl::Status status = client.Send({.target = "/"}, kept);
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_NE(status.message().find("connecting took too long"), absl::string_view::npos) << status;
}

TEST(HttpClient, OnceStoppedItAsksNobody) {
  Server server;
  HttpClient client(server.Config());
  client.Stop();
  Kept kept;
  EXPECT_TRUE(absl::IsCancelled(client.Send({.target = "/"}, kept)));
}

TEST(HttpClient, AVanishedTokenFileIsNamed) {
  Server server;
  ApiConfig config = server.Config();
  const berth::tests::TempDir folder;
  config.token = TextSource::File(folder.Write("token", "  \n"));
  HttpClient client(config);
  Kept kept;
  EXPECT_NE(client.Send({.target = "/"}, kept).message().find("is empty"), absl::string_view::npos);
  std::filesystem::remove(config.token.path());
  const absl::Status status = client.Send({.target = "/"}, kept);
  EXPECT_NE(status.message().find(config.token.path()), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace berth::kube
