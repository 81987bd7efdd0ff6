#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/cli_fixture.h"
#include "tests/integration/server_client.h"
#include "tests/unit/peak_memory.h"

// `berth admission` from its configuration file to its end.

namespace berth::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Of a pod that claims to be bob's and has nothing else to be changed.
constexpr char kReview[] = R"({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
  "request": {"uid": "u-7", "kind": {"group": "", "version": "v1", "kind": "Pod"},
    "operation": "CREATE", "namespace": "team", "userInfo": {"username": "alice"},
    "object": {"metadata": {"annotations": {"berth.dev/created-by": "bob"}},
      "spec": {"nodeName": "n", "containers": [{"name": "c", "resources": {
        "limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}}]}}}})";

class CliAdmission : public ::testing::Test {
 protected:
  // The words that run it on free ports; `more` is within the block admission.
  std::vector<std::string> Words(const std::string& more = "") {
    const std::string text = std::string(kConfigHead) +
                             "metrics: {listen: '127.0.0.1:0'}\nprobes: {listen: '127.0.0.1:0'}\n"
                             "admission:\n  listen: "
                             "'127.0.0.1:0'\n  tls: {certFile: '" +
                             folder_.Write("tls.crt", pair_.certificate) + "', keyFile: '" +
                             folder_.Write("tls.key", pair_.key) + "'}\n" + more;
    return BerthWords({"admission", "--config", folder_.Write("berth.yaml", text)});
  }

  static std::uint16_t PortOf(ChildProcess& berth, const std::string& listener) {
    return ListenerPort(berth, listener, "admission");
  }

  // Whether it was sent; the reply is read from the same client.
  static bool SendReview(RawClient& client, const std::string& body = kReview) {
    return client.Send(
        "POST /mutate/enforce HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  // A pod as kube-apiserver writes it, whose text is all escapes: nearly the 20 MiB that are read.
  static std::string LargestReview() {
    std::string text;
    while (text.size() < 20'000'000) text += "\\u003c";
    std::string review = kReview;
    const std::string name = R"({"name": "c", )";
    return review.replace(review.find(name), name.size(),
                          name + R"("env": [{"name": "e", "value": ")" + text + R"("}], )");
  }

  ServerReply Review(std::uint16_t port) {
    const ClientTls tls{.ca = ca_.certificate()};
    RawClient client(port, &tls);
    SendReview(client);
    return client.ReadReply();
  }

  const TempDir folder_;
  const TestCa ca_;
  PemPair pair_ = ca_.Issue();
};

TEST_F(CliAdmission, ServesWithoutAnyApiServerUntilItIsTerminated) {
  ChildProcess berth(Words());
  const std::uint16_t metrics = PortOf(berth, "metrics");
  const std::uint16_t admission = PortOf(berth, "admission");
  ASSERT_NE(admission, 0) << berth.error();
  EXPECT_EQ(Get(metrics, "/readyz").status, 200);
  EXPECT_EQ(Get(metrics, "/healthz").status, 200);
  const ServerReply reply = Review(admission);
  EXPECT_EQ(reply.status, 200);
  const auto response = nlohmann::json::parse(reply.body)["response"];
  EXPECT_EQ(response["uid"], "u-7");
  EXPECT_TRUE(response.contains("patch"));
  EXPECT_THAT(response["warnings"].dump(), HasSubstr("set to 'alice', the creator"));
  const std::string text = Get(metrics, "/metrics").body;
  for (const char* name :
       {"berth_admission_reviews_total{operation=\"create\",result=\"changed\",webhook=\"mutate\"} "
        "1",
        "berth_admission_changes_total{policy=\"creator\"} 1", "berth_build_info{",
        "berth_certificate_seconds_left 8", "berth_config_generation 1\n"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
  EXPECT_THAT(berth.error(), HasSubstr("\"msg\":\"ended\",\"answeredAll\":true"));
}

TEST_F(CliAdmission, ProbesAreAnsweredWhileMetricsAreFlooded) {
  ChildProcess berth(Words());
  const std::uint16_t metrics = PortOf(berth, "metrics");
  const std::uint16_t probes = PortOf(berth, "probes");
  ASSERT_NE(probes, 0) << berth.error();
  // Each asks a hundred times and reads nothing.
  std::string requests;
  for (int i = 0; i < 100; ++i) requests += "GET /metrics HTTP/1.1\r\nHost: b\r\n\r\n";
  std::vector<std::unique_ptr<RawClient>> flood;
  for (int i = 0; i < 300; ++i) {
    flood.push_back(std::make_unique<RawClient>(metrics));
    flood.back()->Send(requests);
    if (i % 30 > 0) continue;
    for (const char* path : {"/livez", "/healthz", "/readyz"}) {
      EXPECT_EQ(Get(probes, path).status, 200) << path;
    }
  }
  EXPECT_EQ(Get(probes, "/metrics").status, 404) << "they have a place of their own";
  EXPECT_THAT(Get(metrics, "/metrics").body, HasSubstr("berth_build_info{"));
  EXPECT_EQ(Get(metrics, "/livez").status, 200) << "and are where they were";
}

TEST_F(CliAdmission, BodiesThatDoNotEndTakeNoMoreMemoryThanTheyMay) {
  if (!kMemoryIsMeasured) GTEST_SKIP() << "sanitizers have a memory of their own";
  ChildProcess berth(Words());
  const std::uint16_t admission = PortOf(berth, "admission");
  ASSERT_NE(admission, 0) << berth.error();
  const ClientTls tls{.ca = ca_.certificate()};
  const std::string body(1'000'000, 'x');
  std::vector<std::unique_ptr<RawClient>> holding;
  for (int i = 0; i < 300; ++i) {
    holding.push_back(std::make_unique<RawClient>(admission, &tls));
    ASSERT_TRUE(holding.back()->Send(
        "POST /mutate/enforce HTTP/1.1\r\nHost: b\r\nContent-Length: 1000001\r\n\r\n" + body));
  }
  EXPECT_EQ(Review(admission).status, 200);
  EXPECT_LE(StatusBytes("VmHWM", std::to_string(berth.pid())), std::size_t{256} << 20U);
}

// Nearly as many connections as there may be, each of which has asked once, as many bodies that do
// not end as there is room for, and two reviews of the greatest size at once beside them.
TEST_F(CliAdmission, AtItsWorstItFitsItsContainer) {
  if (!kMemoryIsMeasured) GTEST_SKIP() << "sanitizers have a memory of their own";
  ChildProcess berth(Words());
  const std::uint16_t admission = PortOf(berth, "admission");
  ASSERT_NE(admission, 0) << berth.error();
  const ClientTls tls{.ca = ca_.certificate()};
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 490; ++i) {
    clients.push_back(std::make_unique<RawClient>(admission, &tls));
    ASSERT_TRUE(SendReview(*clients.back()));
    ASSERT_EQ(clients.back()->ReadReply().status, 200);
  }
  const std::string body(1'000'000, 'x');
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(clients[static_cast<std::size_t>(i)]->Send(
        "POST /mutate/enforce HTTP/1.1\r\nHost: b\r\nContent-Length: 1000001\r\n\r\n" + body));
  }
  std::vector<std::thread> senders;
  for (int i = 0; i < 2; ++i) {
    senders.emplace_back([&] {
      RawClient client(admission, &tls);
      EXPECT_TRUE(SendReview(client, LargestReview()));
      EXPECT_EQ(client.ReadReply().status, 200);
    });
  }
  for (std::thread& sender : senders) sender.join();
  const std::size_t peak = StatusBytes("VmHWM", std::to_string(berth.pid()));
  EXPECT_LE(peak, std::size_t{256} << 20U) << (peak >> 20U) << " MiB";
}

TEST_F(CliAdmission, ALargerReviewThanItReadsIsDeniedByAnAnswer) {
  ChildProcess berth(Words("  maxBodyBytes: 1048576\n"));
  const std::uint16_t admission = PortOf(berth, "admission");
  ASSERT_NE(admission, 0) << berth.error();
  std::string large = kReview;
  large.insert(large.find("\"name\": \"c\""), "\"image\": \"" + std::string(2 << 20, '<') + "\", ");
  const ClientTls tls{.ca = ca_.certificate()};
  RawClient client(admission, &tls);
  ASSERT_TRUE(SendReview(client, large));
  const ServerReply reply = client.ReadReply();
  EXPECT_EQ(reply.status, 200);
  const auto response = nlohmann::json::parse(reply.body)["response"];
  EXPECT_EQ(response["uid"], "u-7");
  EXPECT_EQ(response["allowed"], false);
  EXPECT_EQ(response["status"]["code"], 413);
  EXPECT_EQ(response["status"]["message"], "berth: the request body is larger than 1048576 bytes");
}

TEST_F(CliAdmission, TakesOverNewPoliciesAndKeepsThemWhereTheFileBreaks) {
  ChildProcess berth(Words());
  const std::uint16_t admission = PortOf(berth, "admission");
  ASSERT_NE(admission, 0) << berth.error();
  EXPECT_THAT(Review(admission).body, HasSubstr("patch"));

  Words("  policies: {creator: {mode: Off}}\n");
  ASSERT_TRUE(berth.AwaitError("configuration reloaded")) << berth.error();
  EXPECT_THAT(berth.error(), Not(HasSubstr("changes that need a restart")));
  EXPECT_THAT(Review(admission).body, Not(HasSubstr("the creator")));

  Words("  policies: {creator: {mode: Of}}\n");
  ASSERT_TRUE(berth.AwaitError("the previous one stays in use")) << berth.error();
  EXPECT_THAT(berth.error(), HasSubstr("admission.policies.creator.mode"));
  EXPECT_THAT(Review(admission).body, Not(HasSubstr("the creator")));
}

TEST_F(CliAdmission, ShowsANewCertificateToNewConnections) {
  ChildProcess berth(Words());
  const std::uint16_t admission = PortOf(berth, "admission");
  ASSERT_NE(admission, 0) << berth.error();
  const ClientTls tls{.ca = ca_.certificate()};
  RawClient former(admission, &tls);
  pair_ = ca_.Issue();
  Words();
  ASSERT_TRUE(berth.AwaitError("certificate reloaded")) << berth.error();
  RawClient latter(admission, &tls);
  EXPECT_NE(former.server_serial(), latter.server_serial());
  for (RawClient* client : {&former, &latter}) {
    ASSERT_TRUE(SendReview(*client));
    EXPECT_EQ(client->ReadReply().status, 200);
  }
}

TEST_F(CliAdmission, AnswersWhatHasArrivedBeforeItEnds) {
  ChildProcess berth(Words());
  const std::uint16_t admission = PortOf(berth, "admission");
  ASSERT_NE(admission, 0) << berth.error();
  const ClientTls tls{.ca = ca_.certificate()};
  RawClient client(admission, &tls);
  const std::string review = kReview;
  client.Send(
      "POST /mutate/enforce HTTP/1.1\r\nHost: b\r\nExpect: 100-continue\r\nContent-Length: " +
      std::to_string(review.size()) + "\r\n\r\n");
  ASSERT_THAT(client.ReadReply().header, HasSubstr("100 Continue"));
  client.Send(review.substr(0, 100));
  berth.Signal(SIGTERM);
  ASSERT_TRUE(berth.AwaitError("draining")) << berth.error();
  // That is what it is about to do; who is refused knows that it does.
  while (RawClient(admission).connected()) std::this_thread::yield();
  client.Send(review.substr(100));
  const ServerReply reply = client.ReadReply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.header, HasSubstr("Connection: close"));
  EXPECT_EQ(berth.Wait(), 0);
}

TEST_F(CliAdmission, LogsDenialsWithoutWhatIsSecret) {
  ChildProcess berth(Words());
  const std::uint16_t admission = PortOf(berth, "admission");
  ASSERT_NE(admission, 0) << berth.error();
  const ClientTls tls{.ca = ca_.certificate()};
  RawClient client(admission, &tls);
  std::string review = kReview;
  const std::string name = R"("name": "c",)";
  review.replace(review.find(name), name.size(),
                 R"("name": 5, "env": [{"name": "TOKEN", "value": "s3cret"}],)");
  ASSERT_TRUE(SendReview(client, review));
  EXPECT_THAT(client.ReadReply().body, HasSubstr("\"allowed\":false"));
  ASSERT_TRUE(
      berth.AwaitError("\"msg\":\"denied\",\"kind\":\"Pod\",\"namespace\":\"team\","
                       "\"user\":\"alice\""))
      << berth.error();
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
  EXPECT_THAT(berth.error(), Not(HasSubstr("s3cret")));
}

TEST_F(CliAdmission, NeedsNothingOfTheExtenderNorItOfThis) {
  const std::string text = std::string(kConfigHead) +
                           "admission: {listen: 'localhost:0', "
                           "insecureLoopback: true}\nmetrics: {listen: 'localhost:0'}\n";
  const std::string file = folder_.Write("plain.yaml", text);
  ChildProcess berth(BerthWords({"admission", "--config", file}));
  EXPECT_NE(PortOf(berth, "admission"), 0) << berth.error();
  const Finished extender = RunBerth({"extender", "--config", file});
  EXPECT_EQ(extender.exit_code, 2);
}

}  // namespace
}  // namespace berth::tests
