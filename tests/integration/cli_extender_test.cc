#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>

#include "kube/lease.h"
#include "tests/integration/cli_fixture.h"
#include "tests/integration/fake_apiserver.h"
#include "tests/integration/server_client.h"

// `berth extender` from its configuration file to its end.

namespace berth::tests {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class CliExtender : public ::testing::Test {
 protected:
  void SetUp() override {
    model::Node node;
    node.name = "node-1";
    node.capacity.Set("nvidia.com/gpu", 8);
    node.allocatable.Set("nvidia.com/gpu", 8);
    api_.Put(node);
  }

  // The words that run it with a configuration of TLS on free ports.
  std::vector<std::string> Words(const std::string& more = "",
                                 const std::string& shortlist = "size: 0") {
    const PemPair pair = ca_.Issue();
    const std::string text = std::string(kConfigHead) + "kubernetes: {kubeconfig: '" +
                             api_.WriteKubeconfig(folder_) +
                             "'}\nextender:\n  listen: '127.0.0.1:0'\n  tls: {certFile: '" +
                             folder_.Write("tls.crt", pair.certificate) + "', keyFile: '" +
                             folder_.Write("tls.key", pair.key) + "'}\n  shortlist: {" + shortlist +
                             "}\nmetrics: {listen: '127.0.0.1:0'}\n" + more;
    return BerthWords({"extender", "--config", folder_.Write("berth.yaml", text)});
  }

  static std::uint16_t PortOf(ChildProcess& berth, const std::string& listener) {
    return ListenerPort(berth, listener, "extender");
  }

  static model::Node NodeWithCondition(const std::string& type) {
    model::Node node;
    node.name = "node-1";
    node.capacity.Set("nvidia.com/gpu", 8);
    node.allocatable.Set("nvidia.com/gpu", 8);
    node.conditions = {{type, model::ConditionStatus::kTrue}};
    return node;
  }

  // kube-scheduler's question over verified TLS, for a pod that wants `model`.
  ServerReply Filter(std::uint16_t port, const std::string& model = "") {
    const ClientTls tls{.ca = ca_.certificate()};
    RawClient client(port, &tls);
    const std::string body =
        R"({"Pod": {"metadata": {"annotations": {"berth.dev/accelerators": ")" + model + R"("}},
            "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]}},
            "Nodes": null, "NodeNames": ["node-1"]})";
    client.Send(
        "POST /filter HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.ReadReply();
  }

  const TempDir folder_;
  const TestCa ca_;
  FakeApiServer api_;
};

TEST_F(CliExtender, ServesUntilItIsTerminated) {
  ChildProcess berth(Words());
  const std::uint16_t metrics = PortOf(berth, "metrics");
  const std::uint16_t extender = PortOf(berth, "extender");
  ASSERT_NE(extender, 0) << berth.error();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"nodes\",\"items\":1"));
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\",\"items\":0"));
  EXPECT_EQ(Get(metrics, "/readyz").status, 200);
  EXPECT_EQ(Get(metrics, "/healthz").status, 200);
  EXPECT_THAT(Filter(extender).body, HasSubstr("\"NodeNames\":[\"node-1\"]"));

  // Counted when the reply is out, which its client may notice first; each look is a round trip.
  constexpr char kCounted[] =
      "berth_http_requests_total{code=\"200\",listener=\"extender\",path=\"/filter\"} 1";
  std::string text;
  for (int looks = 0; looks < 1000 && text.find(kCounted) == std::string::npos; ++looks) {
    text = Get(metrics, "/metrics").body;
  }
  for (const char* name : {kCounted, "berth_build_info{", "berth_certificate_seconds_left 8",
                           "berth_snapshot_age_seconds{", "berth_accelerator_devices{",
                           "berth_watch_restarts_total{", "berth_api_errors_total{",
                           "berth_extender_requests_total{result=\"ok\",verb=\"filter\"} 1"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
  EXPECT_THAT(berth.error(), HasSubstr("\"msg\":\"ended\",\"answeredAll\":true"));
}

TEST_F(CliExtender, WaitsForAnApiServerThatIsAway) {
  api_.Pause();
  ChildProcess berth(Words());
  const std::uint16_t metrics = PortOf(berth, "metrics");
  ASSERT_TRUE(berth.AwaitError("request to the API server failed")) << berth.error();
  EXPECT_EQ(Get(metrics, "/healthz").status, 200);
  const ServerReply not_ready = Get(metrics, "/readyz");
  EXPECT_EQ(not_ready.status, 503);
  EXPECT_THAT(not_ready.body, HasSubstr("nodes and pods are not listed yet"));
  EXPECT_THAT(Filter(PortOf(berth, "extender")).body, HasSubstr("not listed yet"));
  api_.Resume();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"nodes\"")) << berth.error();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\"")) << berth.error();
  EXPECT_EQ(Get(metrics, "/readyz").status, 200);
}

TEST_F(CliExtender, TakesOverNewPoliciesAndKeepsThemWhereTheFileBreaks) {
  api_.Put(NodeWithCondition("BadFan"));
  ChildProcess berth(Words());
  const std::uint16_t extender = PortOf(berth, "extender");
  const std::uint16_t metrics = PortOf(berth, "metrics");
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"nodes\"")) << berth.error();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\"")) << berth.error();
  EXPECT_THAT(Filter(extender).body, HasSubstr("\"NodeNames\":[\"node-1\"]"));

  Words("health: {conditions: [{type: BadFan, effect: Exclude}]}\n");
  ASSERT_TRUE(berth.AwaitError("configuration reloaded")) << berth.error();
  EXPECT_THAT(Filter(extender).body, HasSubstr("node(s) had condition BadFan"));

  Words("health: {conditions: [{type: BadFan, effect: Exclud}]}\n");
  ASSERT_TRUE(berth.AwaitError("the previous one stays in use")) << berth.error();
  EXPECT_THAT(berth.error(), HasSubstr("health.conditions[0].effect"));
  EXPECT_THAT(Filter(extender).body, HasSubstr("node(s) had condition BadFan"));
  const std::string text = Get(metrics, "/metrics").body;
  EXPECT_THAT(text, HasSubstr("berth_config_generation 2\n"));
  EXPECT_THAT(text, HasSubstr("berth_config_last_reload_successful 0\n"));
  EXPECT_THAT(text, HasSubstr("condition=\"BadFan\""));
}

// Pods go there as before, so no alert may say that the node gets none.
TEST_F(CliExtender, NamesNoExcludedNodesWhereThePolicyOnlyObserves) {
  constexpr char kExcluded[] = "berth_node_excluded_devices{node=\"node-1\"";
  constexpr char kCounted[] =
      "berth_nodes_by_condition{condition=\"GPUIsLost\",resources=\"\",effect=\"Exclude\"} 1\n";
  api_.Put(NodeWithCondition("GPUIsLost"));
  ChildProcess berth(Words());
  const std::uint16_t metrics = PortOf(berth, "metrics");
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"nodes\"")) << berth.error();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\"")) << berth.error();
  EXPECT_THAT(Get(metrics, "/metrics").body, AllOf(HasSubstr(kExcluded), HasSubstr(kCounted)));

  Words("scheduling: {policies: {health: {mode: Observe}}}\n");
  ASSERT_TRUE(berth.AwaitError("configuration reloaded")) << berth.error();
  EXPECT_THAT(Get(metrics, "/metrics").body, AllOf(Not(HasSubstr(kExcluded)), HasSubstr(kCounted)));
}

TEST_F(CliExtender, ListsTheClusterAnewForANewCatalogue) {
  ChildProcess berth(Words());
  const std::uint16_t extender = PortOf(berth, "extender");
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"nodes\"")) << berth.error();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\"")) << berth.error();
  EXPECT_THAT(Filter(extender, "Own").body, HasSubstr("catalogue lacks"));

  // While the API server is away the former catalogue answers.
  api_.Pause();
  Words("accelerators: [{name: Own, resource: nvidia.com/gpu}]\n");
  ASSERT_TRUE(berth.AwaitError("listing the cluster anew")) << berth.error();
  EXPECT_THAT(Filter(extender, "Own").body, HasSubstr("catalogue lacks"));
  EXPECT_EQ(Get(PortOf(berth, "metrics"), "/readyz").status, 200);
  api_.Resume();
  std::string body;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (body.find("\"NodeNames\":[\"node-1\"]") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << body << berth.error();
    body = Filter(extender, "Own").body;
  }
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
}

TEST_F(CliExtender, FollowsServicesOnceAShortlistNeedsThem) {
  ChildProcess berth(Words());
  const std::uint16_t extender = PortOf(berth, "extender");
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"nodes\"")) << berth.error();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\"")) << berth.error();
  EXPECT_EQ(api_.Count(FakeRequest::kListServices) + api_.Count(FakeRequest::kWatchServices), 0);

  Words("", "size: 3");
  ASSERT_TRUE(berth.AwaitError("listing the cluster anew")) << berth.error();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"services\"")) << berth.error();
  EXPECT_THAT(Filter(extender).body, HasSubstr("\"NodeNames\":[\"node-1\"]"));
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
}

TEST_F(CliExtender, SaysWhichRightsItNeeds) {
  const std::string services = "  resources: [services]\n  verbs: [list, watch]\n";
  const auto rights = [&](const std::string& shortlist) {
    const std::string config = Words("", shortlist).back();
    return RunBerth({"extender", "--rbac", "--config", config}).output;
  };
  EXPECT_THAT(rights("size: 0"), Not(HasSubstr(services)));
  EXPECT_THAT(rights("size: 3"), HasSubstr(services));
}

TEST_F(CliExtender, NeedsTheControllersLeaseWhereItPlans) {
  const auto rights = [&](const std::string& more) {
    return RunBerth({"extender", "--rbac", "--config", Words(more).back()}).output;
  };
  const std::string lease =
      "  resources: [leases]\n  resourceNames: [berth-controller]\n  verbs: [get]\n";
  EXPECT_THAT(rights("controller: {lease: {namespace: gpu}}\n"),
              AllOf(HasSubstr("kind: Role\n"), HasSubstr("namespace: gpu\n"), HasSubstr(lease)));
  EXPECT_THAT(rights("planner: {schedulers: []}\n"), Not(HasSubstr("leases")));
}

TEST_F(CliExtender, ReadsTheControllersLease) {
  const kube::LeaseRecord record{.holder = "one", .duration = std::chrono::seconds(15)};
  api_.leases().Create("ml", kube::NewLeaseToJson("ml", "berth-controller", record));
  ChildProcess berth(Words("controller: {lease: {namespace: ml}}\n"));
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kGetLease, 1)) << berth.error();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"nodes\"")) << berth.error();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\"")) << berth.error();
  EXPECT_EQ(Get(PortOf(berth, "metrics"), "/readyz").status, 200);
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
  EXPECT_THAT(berth.error(), Not(HasSubstr("Lease cannot be read")));
}

TEST_F(CliExtender, SaysThatItCannotReadTheControllersLease) {
  ChildProcess berth(Words("controller: {lease: {namespace: ml}}\n"));
  ASSERT_TRUE(berth.AwaitError("the controller's Lease cannot be read")) << berth.error();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"nodes\"")) << berth.error();
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\"")) << berth.error();
  EXPECT_THAT(Filter(PortOf(berth, "extender")).body, HasSubstr("\"NodeNames\":[\"node-1\"]"));
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
}

TEST_F(CliExtender, SaysThatItDoesNotKnowWhereTheControllersLeaseIs) {
  ChildProcess berth(Words());
  ASSERT_TRUE(berth.AwaitError("the controller's Lease is not read")) << berth.error();
  ASSERT_TRUE(berth.AwaitError("write the namespace of the Lease")) << berth.error();
  EXPECT_EQ(api_.Count(FakeRequest::kGetLease), 0);
}

TEST_F(CliExtender, ReadsAnotherLeaseOnceItIsNamed) {
  const auto put = [this](const std::string& name) {
    const kube::LeaseRecord record{.holder = "one", .duration = std::chrono::seconds(15)};
    api_.leases().Create("ml", kube::NewLeaseToJson("ml", name, record));
  };
  put("first");
  put("second");
  ChildProcess berth(Words("planner: {schedulers: []}\n"));
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\"")) << berth.error();
  EXPECT_EQ(api_.Count(FakeRequest::kGetLease), 0) << "nobody is planned for";
  Words("controller: {lease: {namespace: ml, name: first}}\n");
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kGetLease, 1)) << berth.error();
  EXPECT_THAT(api_.Targets(FakeRequest::kGetLease)[0], EndsWith("/first"));
  Words("controller: {lease: {namespace: ml, name: second}}\n");
  const auto last = [this] { return api_.Targets(FakeRequest::kGetLease).back(); };
  for (int reads = 2; reads < 10 && !last().ends_with("/second"); ++reads) {
    ASSERT_TRUE(api_.AwaitCount(FakeRequest::kGetLease, reads)) << berth.error();
  }
  EXPECT_THAT(last(), EndsWith("/second"));
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
  EXPECT_THAT(berth.error(), Not(HasSubstr("need a restart")));
}

TEST_F(CliExtender, EndsWhileANewCatalogueWaitsForTheApiServer) {
  ChildProcess berth(Words());
  ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\"")) << berth.error();
  api_.Pause();
  Words("accelerators: [{name: Own, resource: nvidia.com/gpu}]\n");
  ASSERT_TRUE(berth.AwaitError("listing the cluster anew")) << berth.error();
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
}

TEST_F(CliExtender, StartsNothingFromABrokenConfiguration) {
  ChildProcess berth(Words("helth: {}\n"));
  EXPECT_EQ(berth.Wait(), 2);
  EXPECT_THAT(berth.error(), HasSubstr("berth.yaml:9: helth: there is no such field"));
  EXPECT_THAT(berth.error(), Not(HasSubstr("listening")));
  EXPECT_EQ(api_.connections(), 0);
}

TEST_F(CliExtender, StartsNothingWithBrokenFiles) {
  const struct {
    const char* file;
    const char* error;
  } cases[] = {{"tls.crt", "/tls.crt: "}, {"tls.key", "/tls.key: "}};
  for (const auto& test : cases) {
    const std::vector<std::string> words = Words();
    folder_.Write(test.file, "broken");
    ChildProcess berth(words);
    EXPECT_EQ(berth.Wait(), 2) << test.file;
    EXPECT_THAT(berth.error(), HasSubstr(test.error));
    EXPECT_THAT(berth.error(), Not(HasSubstr("listening")));
  }
}

TEST_F(CliExtender, SaysWhichAddressIsTaken) {
  ChildProcess first(Words());
  const std::uint16_t port = PortOf(first, "metrics");
  ASSERT_NE(port, 0);
  const std::string config = std::string(kConfigHead) + "kubernetes: {kubeconfig: '" +
                             api_.WriteKubeconfig(folder_) +
                             "'}\nextender: {listen: 'localhost:0', insecureLoopback: true}\n" +
                             "metrics: {listen: '127.0.0.1:" + std::to_string(port) + "'}\n";
  const Finished second = RunBerth({"extender", "--config", folder_.Write("second.yaml", config)});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.error, HasSubstr("127.0.0.1:" + std::to_string(port)));
}

}  // namespace
}  // namespace berth::tests
