#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <chrono>

#include "tests/integration/server_fixture.h"

namespace berth::tests {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class ServerTlsTest : public ServerTest {
 protected:
  // The body of GET /hello over a new connection; empty if it did not work.
  std::string Hello() {
    const auto client = Connect();
    if (!client->connected() || !client->Send(Request("GET", "/hello"))) return "";
    const ServerReply reply = client->ReadReply();
    if (reply.status != 200) return "";
    client->SayGoodbye();
    resumable = client->resumable();
    return reply.body;
  }

  PemPair IssueClient(const TestCa& issuer, milliseconds lasts = std::chrono::hours(1)) {
    LeafOptions leaf;
    leaf.use = LeafUse::kClient;
    leaf.valid_until = std::chrono::duration_cast<std::chrono::seconds>(lasts);
    return issuer.Issue(leaf);
  }

  bool resumable = false;
};

TEST_F(ServerTlsTest, SpeaksTls12And13) {
  UseTls();
  Start();
  tls.max_version = TLS1_2_VERSION;
  EXPECT_EQ(Connect()->protocol(), "TLSv1.2");
  tls.max_version = 0;
  EXPECT_EQ(Connect()->protocol(), "TLSv1.3");
}

TEST_F(ServerTlsTest, RefusesTls11) {
  UseTls();
  Start();
  tls.max_version = TLS1_1_VERSION;
  const auto client = Connect();
  EXPECT_FALSE(client->connected());
  EXPECT_THAT(client->error(), HasSubstr("protocol version"));
  EXPECT_TRUE(seen->Await("handshake version"));
}

TEST_F(ServerTlsTest, RefusesPlainText) {
  UseTls();
  Start();
  RawClient client(listener->port());
  ASSERT_TRUE(client.Send(Request("GET", "/hello")));
  EXPECT_EQ(client.ReadToEnd(), End::kClosed);
  EXPECT_TRUE(seen->Await("handshake not_tls"));
  EXPECT_EQ(Hello(), "hello");
}

TEST_F(ServerTlsTest, EndsAHandshakeThatHangs) {
  options.limits.handshake = milliseconds(200);
  UseTls();
  Start();
  RawClient silent(listener->port());
  RawClient stuck(listener->port());
  ASSERT_TRUE(stuck.Send(std::string("\x16\x03\x01\x02\x00\x01", 6)));
  EXPECT_EQ(silent.ReadToEnd(), End::kClosed);
  EXPECT_EQ(stuck.ReadToEnd(), End::kClosed);
  EXPECT_TRUE(seen->Await("handshake timeout", 2));
}

TEST_F(ServerTlsTest, NoticesAClientThatLeavesInTheHandshake) {
  UseTls();
  Start();
  { const RawClient gone(listener->port()); }
  EXPECT_TRUE(seen->Await("handshake closed"));
}

TEST_F(ServerTlsTest, AgreesOnHttp11) {
  UseTls();
  Start();
  tls.alpn = "\x02h2\x08http/1.1";
  EXPECT_EQ(Connect()->alpn(), "http/1.1");
  tls.alpn = "\x02h2";
  EXPECT_FALSE(Connect()->connected()) << "better than HTTP/2 bytes that nobody understands";
  tls.alpn.clear();
  EXPECT_EQ(Hello(), "hello");
}

TEST_F(ServerTlsTest, HearsThatTheClientDoesNotTrustIt) {
  UseTls();
  Start();
  tls.ca = TestCa("another").certificate();
  EXPECT_FALSE(Connect()->connected());
  EXPECT_TRUE(seen->Await("handshake server_certificate"));
}

class ServerClientCertificateTest : public ServerTlsTest,
                                    public ::testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(Versions, ServerClientCertificateTest,
                         ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION), [](const auto& each) {
                           return each.param == TLS1_2_VERSION ? "Tls12" : "Tls13";
                         });

TEST_P(ServerClientCertificateTest, LetsAClientConnectAgain) {
  UseTls(ClientCertificates::kRequired);
  Start();
  tls.max_version = GetParam();
  tls.certificate = IssueClient(ca);
  EXPECT_EQ(Hello(), "hello");
  EXPECT_EQ(Hello(), "hello");
  EXPECT_FALSE(resumable) << "tickets cost a quarter of a handshake, and nobody uses them";
}

TEST_P(ServerClientCertificateTest, RefusesAClientWithoutOne) {
  UseTls(ClientCertificates::kRequired);
  Start();
  tls.max_version = GetParam();
  EXPECT_EQ(Hello(), "");
  EXPECT_TRUE(seen->Await("handshake client_certificate"));
}

TEST_P(ServerClientCertificateTest, RefusesACertificateOfAnotherCa) {
  UseTls(ClientCertificates::kOptional);
  Start();
  tls.max_version = GetParam();
  tls.certificate = IssueClient(TestCa("another"));
  EXPECT_EQ(Hello(), "");
  EXPECT_TRUE(seen->Await("handshake client_certificate"));
}

TEST_P(ServerClientCertificateTest, RefusesAnExpiredCertificate) {
  UseTls(ClientCertificates::kRequired);
  Start();
  tls.max_version = GetParam();
  tls.certificate = IssueClient(ca, std::chrono::minutes(-1));
  EXPECT_EQ(Hello(), "");
  EXPECT_TRUE(seen->Await("handshake client_certificate"));
}

TEST_F(ServerTlsTest, RefusesAServersCertificateAsAClients) {
  UseTls(ClientCertificates::kRequired);
  Start();
  tls.certificate = ca.Issue();
  EXPECT_EQ(Hello(), "");
  EXPECT_TRUE(seen->Await("handshake client_certificate"));
}

TEST_F(ServerTlsTest, TakesClientsWithoutCertificateWhereItIsOptional) {
  UseTls(ClientCertificates::kOptional);
  Start();
  EXPECT_EQ(Hello(), "hello");
  tls.certificate = IssueClient(ca);
  EXPECT_EQ(Hello(), "hello");
}

}  // namespace
}  // namespace berth::tests
