#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/feed.h"
#include "controller/lease_store.h"
#include "controller/patcher.h"
#include "tests/integration/cli_fixture.h"
#include "tests/integration/fake_apiserver.h"
#include "tests/integration/fake_objects.h"
#include "tests/integration/fake_permissions.h"
#include "tests/integration/server_client.h"

// `berth controller` from its configuration file to its end.

namespace berth::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kLease[] = "ml/berth-controller";
constexpr char kGpu[] = "nvidia.com/gpu";

model::Node V100(const std::string& name, bool lost = false) {
  model::Node node;
  node.name = name;
  node.uid = name + "-uid";
  node.labels = {{"nvidia.com/gpu.product", "Tesla-V100-SXM2-32GB"}};
  node.capacity.Set(kGpu, 8);
  node.allocatable.Set(kGpu, 8);
  if (lost) node.conditions = {{"GPUIsLost", model::ConditionStatus::kTrue, {}, {}}};
  return node;
}

model::Pod Waiting(const std::string& name) {
  model::Pod pod;
  pod.namespace_ = "ml";
  pod.name = name;
  pod.uid = name + "-uid";
  pod.requests.Set(kGpu, 1);
  pod.unschedulable = "0/1 nodes are available: 1 node(s) had condition GPUIsLost.";
  return pod;
}

// A node that has not been Ready for long, and a pod of a Job there that was deleted then.
constexpr model::Time kLongAgo{std::chrono::seconds(1'700'000'000)};

model::Node LostNode() {
  model::Node node;
  node.name = "lost";
  node.conditions = {{"Ready", model::ConditionStatus::kUnknown, kLongAgo, kLongAgo}};
  return node;
}

model::Pod HangingPod() {
  model::Pod pod;
  pod.namespace_ = "ml";
  pod.name = "hanging";
  pod.node_name = "lost";
  pod.job = "train";
  pod.deleted = kLongAgo;
  return pod;
}

class CliController : public ::testing::Test {
 protected:
  std::string Config(const std::string& lease = "{namespace: ml}") const {
    return std::string(kConfigHead) + "kubernetes: {kubeconfig: '" + api_.WriteKubeconfig(folder_) +
           "'}\nextender: {listen: '127.0.0.1:0', insecureLoopback: true}\n"
           "metrics: {listen: '127.0.0.1:0'}\nlog: {level: debug}\ncontroller: {lease: " +
           lease + "}\n";
  }

  std::unique_ptr<ChildProcess> Start() const {
    return std::make_unique<ChildProcess>(
        BerthWords({"controller", "--config", folder_.Write("berth.yaml", Config())}));
  }

  static std::string Get(ChildProcess& berth, const std::string& path) {
    const std::string before = "\"listener\":\"metrics\",\"address\":\"127.0.0.1:";
    if (!berth.AwaitError(before)) return "";
    const std::size_t begin = berth.error().find(before) + before.size();
    RawClient client(static_cast<std::uint16_t>(std::stoi(berth.error().substr(begin))));
    client.Send("GET " + path + " HTTP/1.1\r\nHost: b\r\n\r\n");
    return client.ReadReply().body;
  }

  const TempDir folder_;
  // So that it has to list, too.
  FakeApiServer api_{{.watch_list = false}};
};

TEST_F(CliController, LabelsNodesNudgesPodsAndGivesUpTheLease) {
  api_.Put(V100("node-1", true));
  api_.PutBytes(FakeRequest::kListNodes, "odd", [](const std::string& version) {
    return EncodeObject(V100("odd"), version) + "\x12\x7f{";  // a field that breaks off
  });
  api_.Put(Waiting("train"));
  api_.Put(LostNode());
  api_.Put(HangingPod());
  const auto berth = Start();
  ASSERT_TRUE(berth->AwaitError("\"msg\":\"leading\"")) << berth->error();
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kPatchNode, 1)) << berth->error();
  EXPECT_EQ(api_.Bodies(FakeRequest::kPatchNode)[0],
            R"({"metadata":{"labels":)"
            R"({"berth.dev/accelerator":"V100","berth.dev/accelerator-memory":"32"},)"
            R"("uid":"node-1-uid"}})");
  EXPECT_THAT(api_.leases().HolderOf(kLease), HasSubstr("_"));

  ASSERT_TRUE(berth->AwaitError("\"kind\":\"pending_pods\",\"items\":1"));
  api_.Put(V100("node-1"));  // well again
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kPatchPod, 1)) << berth->error();
  EXPECT_EQ(api_.Targets(FakeRequest::kPatchPod)[0], "/api/v1/namespaces/ml/pods/train");
  EXPECT_THAT(api_.Bodies(FakeRequest::kPatchPod)[0],
              HasSubstr(R"({"annotations":{"berth.dev/nudged-at":")"));

  ASSERT_TRUE(berth->AwaitError("\"msg\":\"nudged\""));
  const std::string metrics = Get(*berth, "/metrics");
  for (const char* sample :
       {"berth_controller_leads 1",
        "berth_controller_writes_total{result=\"ok\",write=\"nudge\"} 1",
        "berth_controller_lease_errors_total 0", "berth_build_info{",
        "berth_pods_terminating_on_lost_nodes 1", "berth_quarantined_objects{kind=\"nodes\"} 1",
        "berth_quarantined_objects{kind=\"pods\"} 0"}) {
    EXPECT_THAT(metrics, HasSubstr(sample));
  }
  EXPECT_EQ(Get(*berth, "/healthz"), "ok\n");
  EXPECT_EQ(Get(*berth, "/readyz"), "ok\n");

  berth->Signal(SIGTERM);
  EXPECT_EQ(berth->Wait(), 0);
  EXPECT_EQ(api_.leases().HolderOf(kLease), "");
}

TEST_F(CliController, ServesGrpcButNotTheServiceOfTheExtender) {
  const std::string config = Config() + "grpc: {listen: '127.0.0.1:0'}\n";
  ChildProcess berth(BerthWords({"controller", "--config", folder_.Write("berth.yaml", config)}));
  const std::string server = "127.0.0.1:" + std::to_string(ListenerPort(berth, "grpc", "grpc"));
  const Finished asked = RunBerth({"capacity", "--server", server});
  EXPECT_EQ(asked.exit_code, 1);
  EXPECT_THAT(asked.error, HasSubstr("does not serve berth.v1.Placement; is it the address of "
                                     "grpc.listen of a `berth extender`"));
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
  EXPECT_THAT(berth.error(), HasSubstr("\"answeredAll\":true"));
}

TEST_F(CliController, OfTwoOneWritesAndTheOtherFollowsAtOnce) {
  auto first = Start();
  ASSERT_TRUE(first->AwaitError("\"msg\":\"leading\"")) << first->error();
  const auto second = Start();
  ASSERT_TRUE(second->AwaitError("\"msg\":\"another controller leads\"")) << second->error();
  first->Signal(SIGTERM);
  EXPECT_EQ(first->Wait(), 0);
  ASSERT_TRUE(second->AwaitError("\"msg\":\"leading\"")) << second->error();
  api_.Put(V100("node-1"));
  EXPECT_TRUE(api_.AwaitCount(FakeRequest::kPatchNode, 1));
}

TEST_F(CliController, StopsWritingWhenTheLeaseIsStolen) {
  const auto berth = Start();
  ASSERT_TRUE(berth->AwaitError("\"msg\":\"leading\"")) << berth->error();
  api_.leases().Steal(kLease, "thief");
  ASSERT_TRUE(berth->AwaitError("\"msg\":\"no longer leading\"")) << berth->error();
  EXPECT_TRUE(berth->AwaitError("\"msg\":\"another controller leads\",\"holder\":\"thief\""));
  api_.Put(V100("node-1"));
  const int looks = api_.Count(FakeRequest::kGetLease);
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kGetLease, looks + 1));
  EXPECT_EQ(api_.Count(FakeRequest::kPatchNode), 0);
}

TEST_F(CliController, SaysWhichRightIsMissing) {
  api_.FailAlways(FakeRequest::kPatchNode, {.code = 403, .reason = "Forbidden"});
  api_.Put(V100("node-1"));
  const auto berth = Start();
  EXPECT_TRUE(berth->AwaitError("needs verb patch on nodes; `berth controller --rbac`"))
      << berth->error();
}

TEST_F(CliController, TakesOverAChangedCatalogue) {
  api_.Put(V100("node-1"));
  const auto berth = Start();
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kPatchNode, 1)) << berth->error();
  folder_.Write("berth.yaml", Config() +
                                  "accelerators: [{name: Volta, resource: nvidia.com/gpu, nodes: "
                                  "[{label: nvidia.com/gpu.product, matches: V100}]}]\n");
  ASSERT_TRUE(berth->AwaitError("\"msg\":\"configuration reloaded\"")) << berth->error();
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kPatchNode, 2)) << berth->error();
  EXPECT_THAT(api_.Bodies(FakeRequest::kPatchNode)[1], HasSubstr("\"Volta\""));
}

TEST_F(CliController, TakesOverAnotherPlannerAndAnotherLease) {
  model::Pod pod = Waiting("train");
  pod.scheduler = "mine";
  model::Node roomy = V100("node-2");
  roomy.allocatable.Set("pods", 110);
  api_.Put(roomy);
  api_.Put(pod);
  const auto berth = Start();
  ASSERT_TRUE(berth->AwaitError("\"msg\":\"leading\"")) << berth->error();
  EXPECT_EQ(api_.leases().HolderOf("ml/other"), "");
  folder_.Write("berth.yaml",
                Config("{namespace: ml, name: other}") + "planner: {schedulers: [mine]}\n");
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kPatchPod, 1)) << berth->error();
  EXPECT_THAT(api_.Bodies(FakeRequest::kPatchPod)[0],
              HasSubstr(R"("status":{"nominatedNodeName":"node-2"})"));
  EXPECT_NE(api_.leases().HolderOf("ml/other"), "");
  EXPECT_EQ(api_.leases().HolderOf(kLease), "") << "given up";
  EXPECT_THAT(berth->error(), Not(HasSubstr("need a restart")));
}

TEST_F(CliController, StartsNothingFromABadConfiguration) {
  const struct {
    const char* lease;
    const char* error;
  } cases[] = {
      {"{nmespace: ml}", "berth.yaml:7: controller.lease.nmespace: there is no such field"},
      {"{namespace: Ml}", "berth.yaml:7: controller.lease.namespace: \"Ml\" is not the name"},
      {"{}", "berth.yaml: controller.lease.namespace: is not set"},
  };
  for (const auto& test : cases) {
    const Finished berth =
        RunBerth({"controller", "--config", folder_.Write("berth.yaml", Config(test.lease))});
    EXPECT_EQ(berth.exit_code, 2) << test.lease;
    EXPECT_THAT(berth.error, HasSubstr(test.error));
    EXPECT_THAT(berth.error, Not(HasSubstr("listening")));
  }
  EXPECT_EQ(api_.connections(), 0);
}

TEST_F(CliController, NeedsAConfigurationUnlessItPrintsItsRole) {
  EXPECT_EQ(RunBerth({"controller"}).exit_code, 2);
  const Finished role = RunBerth({"controller", "--rbac"});
  EXPECT_EQ(role.exit_code, 0) << role.error;
  EXPECT_THAT(role.output, HasSubstr("kind: ClusterRole\n"));
  EXPECT_THAT(role.output,
              HasSubstr("  resourceNames: [\"berth-controller\"]\n  verbs: [get, update]"));
  const Finished other =
      RunBerth({"controller", "--rbac", "--config",
                folder_.Write("berth.yaml", Config("{namespace: ml, name: x}"))});
  EXPECT_THAT(other.output, HasSubstr("  namespace: \"ml\"\n"));
  EXPECT_THAT(other.output, HasSubstr("resourceNames: [\"x\"]"));
}

// Everything that it asks for is in the printed roles, and nothing is there that it never asks for.
TEST_F(CliController, ItsRoleIsExactlyWhatItAsksFor) {
  api_.Put(V100("node-1", true));
  api_.Put(Waiting("train"));
  const auto berth = Start();
  ASSERT_TRUE(berth->AwaitError("\"kind\":\"pending_pods\",\"items\":1")) << berth->error();
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kPatchNode, 1)) << berth->error();
  api_.Put(V100("node-1"));
  std::set<std::string> granted = Words(cluster::kFeedPermissions);
  granted.merge(Words(controller::kPatchPermissions));
  granted.merge(Words(controller::kLeasePermissions));
  for (const FakeRequest request : kAllFakeRequests) {
    const kube::Permission permission = PermissionFor(request);
    if (!granted.contains(*Words({&permission, 1}).begin())) continue;
    EXPECT_TRUE(api_.AwaitCount(request, 1)) << permission.verb;
  }
  EXPECT_EQ(Needed(api_), granted);
}

}  // namespace
}  // namespace berth::tests
