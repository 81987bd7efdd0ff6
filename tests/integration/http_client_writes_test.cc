// Requests that change something: each is carried out once, or its caller is told of an error.
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "kube/http_client.h"
#include "tests/integration/http_client_fixture.h"

namespace berth::kube {
namespace {

constexpr HttpMethod kWrites[] = {HttpMethod::kPost, HttpMethod::kPut, HttpMethod::kPatch};

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

}  // namespace
}  // namespace berth::kube
