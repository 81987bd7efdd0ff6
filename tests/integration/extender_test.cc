// The extender as it runs: fed by an API server that fails, asked over TLS by clients that may.

#include "extender/extender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "placement/cluster_metrics.h"
#include "policies/scheduling/engine.h"
#include "server/listener.h"
#include "server/metrics.h"
#include "server/tls_certificates.h"
#include "tests/integration/fake_objects.h"
#include "tests/integration/list_watch_fixture.h"
#include "tests/integration/server_client.h"
#include "tests/integration/server_fixture.h"

namespace berth::extender {
namespace {

using ::berth::tests::End;
using ::berth::tests::FakeFault;
using ::berth::tests::FakeRequest;
using ::berth::tests::RawClient;
using ::berth::tests::Request;
using ::berth::tests::ServerReply;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::size_t kMaxBody = 100'000;
constexpr std::size_t kMaxNodesBody = 200'000;

model::Time Now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

model::Node NodeIn(const std::string& name, model::ConditionStatus lost) {
  model::Node node = cluster::MakeNode(name);
  node.conditions = {{"GPUIsLost", lost, Now() - std::chrono::hours(1), Now()}};
  return node;
}

std::string Body(const json& names) {
  const json resources = {{"requests", {{"nvidia.com/gpu", "1"}}}};
  const json pod = {{"metadata", {{"name", "train"}}},
                    {"spec", {{"containers", {{{"name", "c"}, {"resources", resources}}}}}}};
  return json{{"Pod", pod}, {"Nodes", nullptr}, {"NodeNames", names}}.dump();
}

class ExtenderOverTls : public cluster::ListWatchTest {
 protected:
  void SetUp() override {
    StartBoth();
    ASSERT_TRUE(cluster::Await([&] { return snapshot_.Synced(); }));
    Listen();
  }

  void Listen() {
    const auto server = ca_.Issue();
    server::TlsCertificatesOptions files;
    files.files.certificate = dir_.Write("tls.crt", server.certificate);
    files.files.key = dir_.Write("tls.key", server.key);
    files.files.client_ca = dir_.Write("ca.crt", ca_.certificate());
    files.files.require_client_certificate = true;
    auto certificates = server::TlsCertificates::Open(std::move(files));
    ASSERT_TRUE(certificates.ok()) << certificates.status();
    server::ListenerOptions options;
    options.address = "127.0.0.1:0";
    options.tls = *std::move(certificates);
    auto listener = server::Listener::Start(std::move(options), extender_.Routes());
    ASSERT_TRUE(listener.ok()) << listener.status();
    listener_ = *std::move(listener);
    tls_.ca = ca_.certificate();
    tls_.certificate = ca_.Issue({.use = berth::tests::LeafUse::kClient});
  }

  std::unique_ptr<RawClient> Connect() {
    auto client = std::make_unique<RawClient>(listener_->port(), &tls_);
    EXPECT_TRUE(client->connected()) << client->error();
    return client;
  }

  json Filter(RawClient& client, const json& names) {
    EXPECT_TRUE(client.Send(Request("POST", "/filter", Body(names))));
    const ServerReply reply = client.ReadReply();
    EXPECT_EQ(reply.status, 200);
    return json::parse(reply.body, nullptr, false);
  }

  /// Asks until filter keeps exactly these of n0 and n1.
  bool AwaitFitting(const json& want) {
    const auto client = Connect();
    return cluster::Await([&] { return Filter(*client, {"n0", "n1"})["NodeNames"] == want; });
  }

  void ExpectServes() {
    const auto client = Connect();
    EXPECT_EQ(Filter(*client, {"n1"}), (json{{"NodeNames", {"n1"}}}));
  }

  placement::BreakerLog breaker_log_;
  server::Metrics metrics_;
  Extender extender_{
      std::make_shared<Placer>(
          std::make_shared<const policies::scheduling::SchedulingEngine>(
              std::make_shared<const model::AcceleratorCatalog>(
                  *model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults())),
              "berth.dev", policies::scheduling::SchedulingConfig{}),
          snapshot_, metrics_),
      metrics_,
      {.max_body = kMaxBody, .max_nodes_body = kMaxNodesBody, .now = Now}};
  berth::tests::TestCa ca_;
  berth::tests::TempDir dir_;
  berth::tests::ClientTls tls_;
  std::unique_ptr<server::Listener> listener_;
};

// Seen in life: the zero time of a client of Go, in a zone of its own. The API server stores it.
TEST_F(ExtenderOverTls, ANodeThatBreaksWithAnOddTimeGetsNoPods) {
  ASSERT_TRUE(AwaitFitting({"n0", "n1"}));
  model::Node broken = NodeIn("n0", model::ConditionStatus::kTrue);
  broken.conditions[0].last_transition = model::Time(model::Duration(-62'135'629'200));
  server_->Put(broken);
  EXPECT_TRUE(AwaitFitting({"n1"}));
}

TEST_F(ExtenderOverTls, ANodeThatCannotBeReadGetsNoPodsUntilItCan) {
  server_->PutBytes(FakeRequest::kListNodes, "n0", [](const std::string& version) {
    return berth::tests::EncodeObject(cluster::MakeNode("n0"), version) + "\xff";
  });
  EXPECT_TRUE(AwaitFitting({"n1"}));
  EXPECT_EQ(Filter(*Connect(), {"n0"})["FailedAndUnresolvableNodes"],
            (json{{"n0", "node(s) could not be read by Berth"}}));
  server_->Put(cluster::MakeNode("n0"));
  EXPECT_TRUE(AwaitFitting({"n0", "n1"}));
}

TEST_F(ExtenderOverTls, ConditionsTakeEffectAndGoAgain) {
  server_->Put(NodeIn("n0", model::ConditionStatus::kTrue));
  EXPECT_TRUE(AwaitFitting({"n1"}));
  server_->Put(NodeIn("n0", model::ConditionStatus::kFalse));
  EXPECT_TRUE(AwaitFitting({"n0", "n1"}));
  server_->Put(NodeIn("n0", model::ConditionStatus::kTrue));
  server_->Put(NodeIn("n1", model::ConditionStatus::kTrue));
  EXPECT_TRUE(AwaitFitting(json::array()));
}

TEST_F(ExtenderOverTls, NodeDeletedBetweenFilterAndPrioritizeRanksLast) {
  const auto client = Connect();
  EXPECT_EQ(Filter(*client, {"n1", "n2"})["NodeNames"], json({"n1", "n2"}));
  server_->Delete(cluster::MakeNode("n2"));
  ASSERT_TRUE(cluster::Await([&] { return !Have().contains("n2"); }));
  ASSERT_TRUE(client->Send(Request("POST", "/prioritize", Body({"n1", "n2"}))));
  EXPECT_EQ(json::parse(client->ReadReply().body),
            json::parse(R"([{"Host": "n1", "Score": 10}, {"Host": "n2", "Score": 0}])"));
}

TEST_F(ExtenderOverTls, ApiServerGoneTheLastSnapshotServesAndItsAgeTells) {
  server_->Put(NodeIn("n0", model::ConditionStatus::kTrue));
  ASSERT_TRUE(AwaitFitting({"n1"}));
  server_->Pause();
  ASSERT_TRUE(cluster::Await([&] { return !nodes_.errors().empty(); }));
  const auto heard = snapshot_.LastHeard(cluster::Kind::kNodes);
  EXPECT_TRUE(AwaitFitting({"n1"}));
  EXPECT_EQ(snapshot_.LastHeard(cluster::Kind::kNodes), heard);
  metrics_.AddCollectable(std::make_shared<placement::ClusterMetrics>(
      snapshot_, policies::scheduling::HealthConfig{}, policies::scheduling::Mode::kEnforce,
      "berth.dev/excluded", Now, breaker_log_));
  EXPECT_THAT(metrics_.Exposition(), HasSubstr("berth_snapshot_age_seconds{kind=\"nodes\"}"));

  server_->Resume();
  server_->Put(NodeIn("n0", model::ConditionStatus::kFalse));
  EXPECT_TRUE(AwaitFitting({"n0", "n1"}));
}

struct WatchFault {
  std::string name;
  FakeFault fault;
};

class ExtenderDespite : public ExtenderOverTls, public ::testing::WithParamInterface<WatchFault> {};

TEST_P(ExtenderDespite, AnswersGoOnAndNothingIsLost) {
  server_->Fail(FakeRequest::kWatchNodes, GetParam().fault);
  server_->EndWatches();
  ExpectServes();
  server_->Put(NodeIn("n0", model::ConditionStatus::kTrue));
  EXPECT_TRUE(AwaitFitting({"n1"}));
}

INSTANTIATE_TEST_SUITE_P(
    WatchFaults, ExtenderDespite,
    ::testing::Values(
        WatchFault{"Gone", {.kind = FakeFault::Kind::kStatus, .code = 410, .reason = "Expired"}},
        WatchFault{"GoneAsEvent",
                   {.kind = FakeFault::Kind::kErrorEvent, .code = 410, .reason = "Expired"}},
        WatchFault{"TooManyRequests",
                   {.kind = FakeFault::Kind::kStatus,
                    .code = 429,
                    .reason = "TooManyRequests",
                    .retry_after_seconds = 1}},
        WatchFault{"InternalError", {.kind = FakeFault::Kind::kStatus, .code = 500}},
        WatchFault{"Cut", {.kind = FakeFault::Kind::kCut}},
        WatchFault{"Garbage", {.kind = FakeFault::Kind::kGarbage}}),
    [](const auto& param) { return param.param.name; });

TEST_F(ExtenderOverTls, ClientCertificateServesTwiceAndNoneDoesNot) {
  auto first = Connect();
  EXPECT_EQ(Filter(*first, {"n1"})["NodeNames"], json({"n1"}));
  auto second = Connect();
  EXPECT_EQ(Filter(*second, {"n1"})["NodeNames"], json({"n1"}));

  tls_.certificate.reset();
  RawClient stranger(listener_->port(), &tls_);
  stranger.Send(Request("POST", "/filter", Body({"n1"})));
  EXPECT_EQ(stranger.ReadReply().status, 0);
}

TEST_F(ExtenderOverTls, TooLargeIsASentenceAndTheEndOfTheConnection) {
  const std::string large(kMaxNodesBody + 1, ' ');
  const auto filter = Connect();
  filter->Send(Request("POST", "/filter", large));
  const ServerReply refusal = filter->ReadReply();
  EXPECT_EQ(refusal.status, 200);
  EXPECT_THAT(json::parse(refusal.body)["Error"].get<std::string>(), HasSubstr("200000"));
  EXPECT_THAT(refusal.header, HasSubstr("Connection: close"));
  EXPECT_EQ(filter->ReadToEnd(), End::kClosed);

  const auto prioritize = Connect();
  prioritize->Send(Request("POST", "/prioritize", large));
  EXPECT_EQ(prioritize->ReadReply().status, 413);
  ExpectServes();
}

TEST_F(ExtenderOverTls, NamesBeyondTheirOwnLimitAreASentence) {
  const auto client = Connect();
  const std::string large = Body({"n1"}) + std::string(kMaxBody, ' ');
  client->Send(Request("POST", "/filter", large));
  EXPECT_THAT(client->ReadReply().body, HasSubstr("extender.maxBodyBytes"));
  client->Send(Request("POST", "/prioritize", large));
  EXPECT_EQ(client->ReadReply().status, 413);
  ExpectServes();
}

TEST_F(ExtenderOverTls, HalfABodyHarmsNobody) {
  const auto client = Connect();
  client->Send("POST /filter HTTP/1.1\r\nHost: berth\r\nContent-Length: 1000\r\n\r\n{\"Pod\":");
  client->SayGoodbye();
  EXPECT_NE(client->ReadToEnd(), End::kTimeout);
  ExpectServes();
}

TEST_F(ExtenderOverTls, BadBodyLeavesTheConnectionOpen) {
  const auto client = Connect();
  ASSERT_TRUE(client->Send(Request("POST", "/filter", "[")));
  EXPECT_THAT(json::parse(client->ReadReply().body)["Error"].get<std::string>(), HasSubstr("JSON"));
  EXPECT_EQ(Filter(*client, {"n1"})["NodeNames"], json({"n1"}));
}

}  // namespace
}  // namespace berth::extender
