// Requests that change something: each is carried out once, or its caller is told of an error.
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "kube/http_client.h"
#include "tests/integration/http_client_fixture.h"

namespace berth::kube {
namespace {

constexpr HttpMethod kWrites[] = {HttpMethod::kPost, HttpMethod::kPut, HttpMethod::kPatch,
                                  HttpMethod::kDelete};

HttpRequest Write(HttpMethod method) {
  return {.method = method, .target = "/x", .content_type = "a/b", .body = "{\"x\": 1}"};
}

TEST(HttpClientWrites, SendsMethodTypeAndBody) {
  for (const HttpMethod method : kWrites) {
    Server server;
    HttpClient client(server.Config());
    std::string head;
    std::string body;
    std::thread peer([&] {
      server.Accept();
      head = server.Read();
      body = server.ReadBody(8);
      server.Write(kOk);
    });
    Kept kept;
    const absl::Status status = client.Send(Write(method), kept);
    peer.join();
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(head.rfind(std::string(NameOf(method)) + " /x HTTP/1.1\r\n", 0), 0u) << head;
    EXPECT_NE(head.find("Content-Type: a/b\r\n"), std::string::npos) << head;
    EXPECT_NE(head.find("Content-Length: 8\r\n"), std::string::npos) << head;
    EXPECT_EQ(body, "{\"x\": 1}");
    EXPECT_EQ(kept.body, "ok");
  }
}

/// Has one request answered, so that the connection is kept.
void Warm(HttpClient& client, Server& server) {
  std::thread peer([&] {
    server.Accept();
    server.Read();
    server.Write(kOk);
  });
  Kept kept;
  EXPECT_TRUE(client.Send({.target = "/"}, kept).ok());
  peer.join();
}

TEST(HttpClientWrites, IsNotRepeatedOnceTheServerMayHaveAllOfIt) {
  for (const HttpMethod method : kWrites) {
    Server server;
    HttpClient client(server.Config());
    Warm(client, server);
    std::thread peer([&] {
      server.Read();
      server.ReadBody(8);
      server.Close();
    });
    Kept kept;
    const absl::Status status = client.Send(Write(method), kept);
    peer.join();
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_NE(status.message().find("waiting for the reply"), absl::string_view::npos) << status;
    EXPECT_FALSE(server.Asked()) << "a second connection for " << NameOf(method);
  }
}

TEST(HttpClientWrites, AConnectionThatWasClosedMeanwhileIsNoError) {
  for (const HttpMethod method : kWrites) {
    Server server;
    HttpClient client(server.Config());
    Warm(client, server);
    server.Close();
    std::string body;
    std::thread peer([&] {
      server.Accept();
      server.Read();
      body = server.ReadBody(8);
      server.Write(kOk);
    });
    Kept kept;
    const absl::Status status = client.Send(Write(method), kept);
    peer.join();
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(body, "{\"x\": 1}");
  }
}

// Who gave up the right to write meanwhile must not be surprised by it later.
TEST(HttpClientWrites, IsNotSentWhenItComesTooLate) {
  for (const bool kept_alive : {false, true}) {
    Server server;
    HttpClient client(server.Config());
    if (kept_alive) Warm(client, server);
    HttpRequest request = Write(HttpMethod::kPatch);
    request.send_by = std::chrono::steady_clock::now();
    Kept kept;
    const absl::Status status = client.Send(request, kept);
    EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
    if (!kept_alive && server.Asked()) server.Accept();
    if (server.socket() >= 0) {
      EXPECT_EQ(server.Read(), "") << "nothing but the end";
    }
  }
}

// However much time the steps before it are given.
TEST(HttpClientWrites, AHandshakeEndsWhenItIsTooLateForTheRequest) {
  Server server;
  ApiConfig config = server.Config();
  config.tls = true;
  HttpClient client(config, {.handshake = std::chrono::hours(1)});
  HttpRequest request = Write(HttpMethod::kPut);
  request.send_by = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  Kept kept;
  const absl::Status status = client.Send(request, kept);
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_NE(status.message().find("TLS handshake"), absl::string_view::npos) << status;
}

TEST(HttpClientWrites, AnAddressIsLookedUpNoLongerThanTheRequestMayWait) {
  Server server;
  ApiConfig config = server.Config();
  config.host = "api.example";
  std::promise<void> end;
  HttpClient client(config, {.connect = std::chrono::hours(1)}, [&end](const std::string&) {
    end.get_future().wait();
    return absl::UnavailableError("end of the test");
  });
  HttpRequest request = Write(HttpMethod::kPut);
  request.send_by = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  Kept kept;
  EXPECT_TRUE(absl::IsDeadlineExceeded(client.Send(request, kept)));
  end.set_value();
}

TEST(HttpClientWrites, AReplyMayComeLater) {
  Server server;
  HttpClient client(server.Config());
  HttpRequest request = Write(HttpMethod::kPatch);
  request.send_by = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  std::thread peer([&] {
    server.Accept();
    server.Read();
    server.ReadBody(8);
    while (std::chrono::steady_clock::now() <= *request.send_by) std::this_thread::yield();
    server.Write(kOk);
  });
  Kept kept;
  const absl::Status status = client.Send(request, kept);
  server.Close();
  peer.join();
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace berth::kube
