// The ways to a server: by a proxy, and by one of several addresses.
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/exec_credentials.h"
#include "kube/http_client.h"
#include "tests/integration/fake_apiserver.h"
#include "tests/integration/http_client_fixture.h"

namespace berth::kube {
namespace {

using berth::tests::FakeApiServer;
using berth::tests::FakeRequest;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr char kNodes[] = "/api/v1/nodes?limit=5";

ApiProxy ProxyAt(const Server& server, const std::string& credentials = "") {
  const ApiConfig config = server.Config();
  return {.host = config.host, .port = config.port, .credentials = credentials};
}

/// Passes bytes on, both ways, until either side ends.
void Relay(int client, std::uint16_t port) {
  const int server = berth::tests::ConnectToLoopback(port);
  pollfd ends[] = {{.fd = client, .events = POLLIN, .revents = 0},
                   {.fd = server, .events = POLLIN, .revents = 0}};
  char bytes[4096];
  while (poll(ends, 2, -1) > 0) {
    const bool from_client = ends[0].revents != 0;
    const auto size = recv(from_client ? client : server, bytes, sizeof bytes, 0);
    if (size <= 0) break;
    send(from_client ? server : client, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  }
  close(server);
}

TEST(HttpClientProxy, IsAskedForATunnelThroughWhichTlsGoes) {
  FakeApiServer api;
  Server proxy;
  ApiConfig config = api.Config();
  config.proxy = ProxyAt(proxy, "user:pass");
  std::string asked;
  std::thread peer([&] {
    proxy.Accept();
    asked = proxy.Read();
    proxy.Write("HTTP/1.1 200 Connection established\r\n\r\n");
    Relay(proxy.socket(), api.port());
    proxy.Close();
  });
  Kept kept;
  {
    HttpClient client(config);
    const absl::Status status = client.Send({.target = kNodes}, kept);
    EXPECT_TRUE(status.ok()) << status;
  }
  peer.join();
  EXPECT_EQ(kept.head.status, 200);
  EXPECT_EQ(asked.rfind("CONNECT 127.0.0.1:" + config.port + " HTTP/1.1\r\n", 0), 0U) << asked;
  EXPECT_THAT(asked, HasSubstr("Host: 127.0.0.1:" + config.port + "\r\n"));
  EXPECT_THAT(asked, HasSubstr("Proxy-Authorization: Basic dXNlcjpwYXNz\r\n"));
  EXPECT_EQ(asked.find("\r\nAuthorization"), std::string::npos) << "the token is not the proxy's";
}

TEST(HttpClientProxy, ThatRefusesIsNamed) {
  Server proxy;
  ApiConfig config;
  config.host = "api.example.com";
  config.port = "6443";
  config.proxy = ProxyAt(proxy);
  HttpClient client(config);
  std::thread peer([&] {
    proxy.Accept();
    proxy.Read();
    proxy.Write("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
  });
  Kept kept;
  const absl::Status status = client.Send({.target = "/"}, kept);
  peer.join();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("answers 407 Proxy Authentication Required to CONNECT api.example.com:6443"));
}

TEST(HttpClientProxy, ThatIsSilentIsGivenUp) {
  Server proxy;
  ApiConfig config;
  config.host = "api.example.com";
  config.port = "6443";
  config.proxy = ProxyAt(proxy);
  HttpTimeouts timeouts;
  timeouts.connect = milliseconds(200);
  HttpClient client(config, timeouts);
  Kept kept;
  const absl::Status status = client.Send({.target = "/"}, kept);
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("asking the proxy for a tunnel"));
}

/// A client for whom "api" is the given addresses.
ApiConfig Named(ApiConfig config) {
  config.tls_server_name = "localhost";
  config.host = "api";
  return config;
}

NameLookup::Ask Answer(std::vector<std::string> addresses) {
  return [addresses = std::move(addresses)](const std::string&) { return addresses; };
}

// Nobody listens on 127.0.0.2, so the system refuses.
TEST(HttpClientAddresses, EachIsTried) {
  FakeApiServer api;
  HttpClient client(Named(api.Config()), {}, Answer({"127.0.0.2", "nonsense", "127.0.0.1"}));
  for (int i = 0; i < 2; ++i) {
    Kept kept;
    const absl::Status status = client.Send({.target = kNodes}, kept);
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_EQ(api.connections(), 1);
}

// A load balancer takes the connection, and behind it is nobody.
TEST(HttpClientAddresses, OneThatTakesConnectionsButSaysNothingIsLeft) {
  FakeApiServer api;
  Server deaf(api.port(), "127.0.0.3");
  HttpTimeouts timeouts;
  timeouts.handshake = milliseconds(300);
  HttpClient client(Named(api.Config()), timeouts, Answer({"127.0.0.3", "127.0.0.1"}));
  Kept kept;
  EXPECT_TRUE(client.Send({.target = kNodes}, kept).ok());
  EXPECT_TRUE(deaf.Asked());
  deaf.Accept();
  api.DropConnections();
  EXPECT_TRUE(client.Send({.target = kNodes}, kept).ok());
  EXPECT_FALSE(deaf.Asked()) << "the address that worked comes first";
}

TEST(HttpClientAddresses, IfNoneWorksTheLastErrorIsTold) {
  FakeApiServer api;
  api.Pause();
  HttpClient client(Named(api.Config()), {}, Answer({"127.0.0.2", "127.0.0.1"}));
  Kept kept;
  const absl::Status status = client.Send({.target = kNodes}, kept);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("connecting: Connection refused"));
}

// Tokens of service accounts are replaced every hour or so.
TEST(HttpClientToken, IsReadForEachRequest) {
  FakeApiServer api({.token = "first"});
  const berth::tests::TempDir folder;
  ApiConfig config = api.Config();
  config.token = TextSource::File(folder.Write("token", "first"));
  HttpClient client(config);
  Kept kept;
  ASSERT_TRUE(client.Send({.target = kNodes}, kept).ok());
  EXPECT_EQ(kept.head.status, 200);
  api.SetToken("second");
  ASSERT_TRUE(client.Send({.target = kNodes}, kept).ok());
  EXPECT_EQ(kept.head.status, 401);
  folder.Write("token", "second\n");
  ASSERT_TRUE(client.Send({.target = kNodes}, kept).ok());
  EXPECT_EQ(kept.head.status, 200);
  EXPECT_EQ(api.connections(), 2) << "one is closed by the refusal";
}

/// A client certificate in files, as the kubelet or a certificate manager keeps it.
class ClientFiles {
 public:
  explicit ClientFiles(const FakeApiServer& api) : api_(api) {}

  void Renew(const std::string& common_name,
             std::chrono::seconds valid_until = std::chrono::hours(1)) {
    const berth::tests::PemPair pair = api_.IssueClient(common_name, valid_until);
    folder_.Write("tls.crt", pair.certificate);
    folder_.Write("tls.key", pair.key);
  }

  ApiConfig Config() const {
    ApiConfig config = api_.Config();
    config.client_certificate = TextSource::File(folder_.path() / "tls.crt");
    config.client_key = TextSource::File(folder_.path() / "tls.key");
    return config;
  }

 private:
  const FakeApiServer& api_;
  const berth::tests::TempDir folder_;
};

/// 0: there was no reply.
int StatusOf(HttpClient& client) {
  Kept kept;
  const absl::Status sent = client.Send({.target = kNodes}, kept);
  return sent.ok() ? kept.head.status : 0;
}

TEST(HttpClientCertificate, ThatWasRenewedIsUsedAfterARefusal) {
  for (const int refusal : {401, 403}) {
    FakeApiServer api({.require_client_certificate = true});
    ClientFiles files(api);
    files.Renew("first");
    api.AdmitOnly("first", refusal);
    HttpClient client(files.Config());
    EXPECT_EQ(StatusOf(client), 200);
    EXPECT_EQ(StatusOf(client), 200);
    EXPECT_EQ(api.connections(), 1);
    api.AdmitOnly("second", refusal);
    EXPECT_EQ(StatusOf(client), refusal) << "the server does not know the old one any more";
    EXPECT_EQ(StatusOf(client), refusal) << "nor is there another";
    files.Renew("second");
    EXPECT_EQ(StatusOf(client), 200);
    EXPECT_EQ(StatusOf(client), 200);
    EXPECT_EQ(api.connections(), 3) << "one that works is kept";
  }
}

// With TLS 1.3 the server's alert comes only when the client has begun to send.
TEST(HttpClientCertificate, ThatWasRenewedIsUsedAfterOneThatEnded) {
  FakeApiServer api({.require_client_certificate = true});
  ClientFiles files(api);
  files.Renew("berth", std::chrono::seconds(-60));
  HttpClient client(files.Config());
  EXPECT_EQ(StatusOf(client), 0);
  files.Renew("berth");
  EXPECT_EQ(StatusOf(client), 200);
}

/// A plugin of kubeconfigs that answers what the test has written.
class AnsweringPlugin {
 public:
  void Answers(const nlohmann::json& status) {
    const nlohmann::json credential = {{"kind", "ExecCredential"},
                                       {"apiVersion", "client.authentication.k8s.io/v1"},
                                       {"status", status}};
    folder_.Write("answer", credential.dump());
  }

  std::shared_ptr<ExecCredentials> Credentials(ExecCredentials::Clock now = {}) const {
    return std::make_shared<ExecCredentials>(
        ExecPlugin{.command = "cat",
                   .arguments = {(folder_.path() / "answer").string()},
                   .api_version = "client.authentication.k8s.io/v1"},
        std::move(now));
  }

 private:
  const berth::tests::TempDir folder_;
};

TEST(HttpClientPlugin, IsAskedForATokenAndAgainAfterARefusal) {
  FakeApiServer api({.token = "first"});
  AnsweringPlugin plugin;
  plugin.Answers({{"token", "first"}});
  ApiConfig config = api.Config();
  config.exec = plugin.Credentials();
  HttpClient client(config);
  HttpClient other(config);
  EXPECT_EQ(StatusOf(client), 200);
  EXPECT_EQ(StatusOf(other), 200);
  plugin.Answers({{"token", "second"}});
  EXPECT_EQ(StatusOf(client), 200) << "it is not asked for each request";
  api.SetToken("second");
  EXPECT_EQ(StatusOf(client), 401);
  EXPECT_EQ(StatusOf(client), 200);
  EXPECT_EQ(StatusOf(other), 200) << "connections share what it answers";
}

TEST(HttpClientPlugin, MayTellACertificateWhichIsRenewedWhenItEnds) {
  FakeApiServer api({.require_client_certificate = true});
  AnsweringPlugin plugin;
  const auto answer = [&](const std::string& name) {
    const berth::tests::PemPair pair = api.IssueClient(name, std::chrono::hours(1));
    plugin.Answers({{"clientCertificateData", pair.certificate},
                    {"clientKeyData", pair.key},
                    {"expirationTimestamp", "2026-06-01T12:00:00Z"}});
  };
  model::Time now{};
  ApiConfig config = api.Config();
  config.exec = plugin.Credentials([&now] { return now; });
  HttpClient client(config);
  answer("first");
  api.AdmitOnly("first", 403);
  EXPECT_EQ(StatusOf(client), 200);
  answer("second");
  api.AdmitOnly("second", 403);
  now = model::Time(model::Duration(1'780'315'200));
  EXPECT_EQ(StatusOf(client), 200);
  EXPECT_EQ(api.connections(), 2);
}

TEST(HttpClientPlugin, WhatIsWrongWithItIsTold) {
  FakeApiServer api;
  ApiConfig config = api.Config();
  config.exec = std::make_shared<ExecCredentials>(ExecPlugin{.command = "false"});
  HttpClient client(config);
  Kept kept;
  const absl::Status status = client.Send({.target = kNodes}, kept);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("exec plugin false failed"));
  EXPECT_EQ(api.connections(), 0);
}

TEST(HttpClientPlugin, IsNotWaitedForOnceTheClientIsStopped) {
  FakeApiServer api;
  ApiConfig config = api.Config();
  config.exec =
      std::make_shared<ExecCredentials>(ExecPlugin{.command = "sleep", .arguments = {"1000"}});
  HttpClient client(config);
  std::thread stopper([&client] { client.Stop(); });
  Kept kept;
  EXPECT_TRUE(absl::IsCancelled(client.Send({.target = kNodes}, kept)));
  stopper.join();
}

}  // namespace
}  // namespace berth::kube
