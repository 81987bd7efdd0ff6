#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "extender/wire.h"
#include "kube/lease.h"
#include "tests/integration/cli_fixture.h"
#include "tests/integration/fake_apiserver.h"
#include "tests/integration/server_client.h"
#include "tests/unit/peak_memory.h"

// `berth extender` from its configuration file to its end.

namespace berth::tests {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kNamed[] = R"("Nodes": null, "NodeNames": ["node-1"])";

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

  // kube-scheduler's question for a pod that wants `model`. `nodes`: the members that tell which
  // nodes it is about.
  static std::string Question(const std::string& nodes, const std::string& model = "") {
    return R"({"Pod": {"metadata": {"annotations": {"berth.dev/accelerators": ")" + model + R"("}},
            "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]}},
            )" +
           nodes + "}";
  }

  static std::string FilterHead(std::size_t body_bytes) {
    return "POST /filter HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\n"
           "Content-Length: " +
           std::to_string(body_bytes) + "\r\n\r\n";
  }

  // Whether it was sent; the reply is read from the same client.
  static bool SendFilter(RawClient& client, const std::string& body) {
    return client.Send(FilterHead(body.size()) + body);
  }

  // The same over verified TLS, about the node that there is.
  ServerReply Filter(std::uint16_t port, const std::string& model = "") {
    const ClientTls tls{.ca = ca_.certificate()};
    RawClient client(port, &tls);
    SendFilter(client, Question(kNamed, model));
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

// Asked about whole nodes, as many as its limits let anybody ask about.
class CliExtenderWholeNodes : public CliExtender {
 protected:
  // What extender.maxNodesBodyBytes is by default.
  static constexpr std::size_t kLargestBody = std::size_t{64} << 20U;
  // All bodies together may have twice as much.
  static constexpr std::size_t kUnfinishedBytes = 1'000'000;
  static constexpr std::size_t kUnfinishedBodies = 2 * kLargestBody / kUnfinishedBytes;
  // What the chart lets its container have, less what a cluster of 7,498 nodes and 200,000 pods
  // takes (docs/benchmarks).
  static constexpr std::size_t kContainer = (std::size_t{512} - 100) << 20U;
  static constexpr std::size_t kTaints = 256;

  static constexpr char kDevices[] =
      R"("capacity":{"nvidia.com/gpu":"8"},"allocatable":{"nvidia.com/gpu":"8"})";

  // 8 KB, as a kubelet writes it, of which most is not read. "#" stands for its number.
  static std::string UsualNode() {
    return R"({"metadata":{"name":"node-#","labels":{)" +
           Numbered(R"("example.com/feature-#":"true")", 40) + R"(}},"status":{)" + kDevices +
           R"(,"conditions":[{"type":"Ready","status":"True"}],"images":")" +
           std::string(6'500, 'i') + "\"}}";
  }

  // As many taints as a node may have. Of all that is read they take the most memory for their
  // bytes, because those that kube-scheduler only prefers to avoid are kept, too.
  static std::string TaintedNode() {
    const std::string taint = R"({"key":")" + std::string(16, 'k') + R"(","value":")" +
                              std::string(16, 'v') + R"(","effect":"PreferNoSchedule"})";
    return R"({"metadata":{"name":"node-#"},"spec":{"taints":[)" + Repeated(taint, kTaints) +
           R"(]},"status":{)" + kDevices + "}}";
  }

  // About `nodes`, and one that has lost its devices.
  static std::string LargestQuestion(const std::string& nodes) {
    const std::string lost = R"({"metadata":{"name":"lost"},"status":{)" + std::string(kDevices) +
                             R"(,"conditions":[{"type":"GPUIsLost","status":"True"}]}})";
    std::string body = Question(R"("Nodes": {"items": [)" + nodes + "," + lost + "]}");
    EXPECT_LE(body.size(), kLargestBody);
    body.resize(kLargestBody, ' ');
    return body;
  }

  // Nearly as many connections as there may be, each of which has asked once, as many bodies that
  // do not end as there is room for, and then a question of the greatest size. The answer has to be
  // `nodes`, all of which fit.
  void ExpectItFitsItsContainer(const std::string& nodes) {
    ChildProcess berth(Words());
    const std::uint16_t port = PortOf(berth, "extender");
    ASSERT_NE(port, 0) << berth.error();
    ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"nodes\"")) << berth.error();
    ASSERT_TRUE(berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\"")) << berth.error();
    const std::string process = std::to_string(berth.pid());
    const ClientTls tls{.ca = ca_.certificate()};
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 490; ++i) {
      clients.push_back(std::make_unique<RawClient>(port, &tls));
      ASSERT_TRUE(SendFilter(*clients.back(), Question(kNamed)));
      ASSERT_EQ(clients.back()->ReadReply().status, 200);
    }

    const std::string unfinished =
        FilterHead(kUnfinishedBytes + 1) + std::string(kUnfinishedBytes, 'x');
    const std::size_t before = StatusBytes("VmRSS", process);
    for (std::size_t i = 0; i < kUnfinishedBodies; ++i) {
      ASSERT_TRUE(clients[i]->Send(unfinished));
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (StatusBytes("VmRSS", process) < before + kUnfinishedBodies * kUnfinishedBytes * 9 / 10) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "it does not hold what was sent";
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }

    RawClient client(port, &tls);
    ASSERT_TRUE(SendFilter(client, LargestQuestion(nodes)));
    // Most of the others make way for it. A large body leaves an eighth of the room free, which
    // small ones take while it is read.
    for (std::size_t i = kUnfinishedBodies; i < kUnfinishedBodies + 16; ++i) {
      ASSERT_TRUE(clients[i]->Send(unfinished));
    }
    const ServerReply reply = client.ReadReply();
    EXPECT_EQ(reply.status, 200);
    // EXPECT_EQ would print 64 MB.
    EXPECT_TRUE(reply.body == R"({"Nodes":{"metadata":{},"items":[)" + nodes + "]}}")
        << reply.body.size() << " bytes: " << reply.body.substr(0, 500);
    const std::size_t peak = StatusBytes("VmHWM", process);
    EXPECT_LE(peak, kContainer) << (peak >> 20U) << " MiB";
  }
};

TEST_F(CliExtenderWholeNodes, AsManyAsItReadsFitItsContainer) {
  if (!kMemoryIsMeasured) GTEST_SKIP() << "sanitizers have a memory of their own";
  const std::string node = UsualNode();
  ExpectItFitsItsContainer(Numbered(node, (kLargestBody - 1'000) / (node.size() + 5)));
}

// Each of these nodes has two resources, too, and the one that has lost its devices has three
// entries.
TEST_F(CliExtenderWholeNodes, AtItsWorstItFitsItsContainer) {
  if (!kMemoryIsMeasured) GTEST_SKIP() << "sanitizers have a memory of their own";
  constexpr std::size_t kNodes = (extender::ArgsReader::kMaxNodeEntries - 3) / (kTaints + 2);
  ExpectItFitsItsContainer(Numbered(TaintedNode(), kNodes));
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
      "  resources: [leases]\n  resourceNames: [\"berth-controller\"]\n  verbs: [get]\n";
  EXPECT_THAT(
      rights("controller: {lease: {namespace: gpu}}\n"),
      AllOf(HasSubstr("kind: Role\n"), HasSubstr("namespace: \"gpu\"\n"), HasSubstr(lease)));
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
