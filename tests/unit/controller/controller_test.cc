#include "controller/controller.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/lease.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/lost_pods_fixtures.h"
#include "tests/unit/controller/shared_api.h"
#include "tests/unit/kube/wire_fixtures.h"

namespace berth::controller {
namespace {

using policies::scheduling::GpuNode;
using testing::Contains;
using testing::Each;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using policies::scheduling::kV100;
constexpr char kNode[] = "/api/v1/nodes/v100-1";
constexpr char kPatchNode[] = "PATCH /api/v1/nodes/v100-1";
constexpr char kPatchPod[] = "PATCH /api/v1/namespaces/ml/pods/train";
constexpr char kPod[] = "/api/v1/namespaces/ml/pods/train";
constexpr char kLeases[] = "/apis/coordination.k8s.io/v1/namespaces/berth-system/leases";
constexpr char kLease[] =
    "/apis/coordination.k8s.io/v1/namespaces/berth-system/leases/berth-controller";
constexpr char kSecret[] = "/api/v1/namespaces/berth-system/secrets/extender-tls";

/// A pod that could find no node, since the GPUs of one were lost, as kube-apiserver lists it.
std::string WaitingPods() {
  kube::pb::Pod pod = kube::MakePod();
  pod.mutable_metadata()->set_namespace_("ml");
  pod.mutable_metadata()->set_name("train");
  pod.mutable_metadata()->clear_annotations();
  pod.mutable_spec()->clear_node_name();
  pod.mutable_status()->set_phase("Pending");
  kube::pb::PodCondition* const condition = pod.mutable_status()->add_conditions();
  condition->set_type("PodScheduled");
  condition->set_status("False");
  condition->set_reason("Unschedulable");
  condition->set_message("0/1 nodes are available: 1 node(s) had condition GPUIsLost.");
  kube::pb::ObjectList list = kube::ListOf(pod);
  list.mutable_metadata()->set_resource_version("7");
  return kube::Body("PodList", list);
}

class NoObserver final : public CertificateObserver, public kube::ListWatchObserver {
 public:
  void OnEnds(const std::map<std::string, model::Time>&) override {}
  void OnUnreadable(const std::string&, const absl::Status&) override {}
  void OnCertificateError(const absl::Status&) override {}
  void OnListed(std::size_t) override {}
  void OnWatchEnd(kube::WatchEnd) override {}
  void OnUnreadable(const kube::UnreadableObject&) override {}
  void OnError(const absl::Status&) override {}
  void OnBackoff(std::chrono::milliseconds) override {}
};

class ControllerTest : public ::testing::Test {
 protected:
  ControllerTest() {
    api_.pods = WaitingPods();
    api_.Put(kNode, {{"metadata", {{"name", "v100-1"}}}});
    api_.Put(kPod, {{"metadata", {{"name", "train"}}}});
  }

  Controller::Options Options() {
    return {.lease_namespace = "berth-system",
            .lease_name = "berth-controller",
            .prefix = "berth.dev",
            .identity = "me",
            .now = [] { return policies::scheduling::kNow; },
            .connect = [this](kube::HttpTimeouts) { return api_.Connect(); }};
  }

  static CertificateSettings OneServer() {
    return {.authority_secret = "berth-ca",
            .authority_life = std::chrono::hours(1000),
            .server_life = std::chrono::hours(100),
            .servers = {{.secret = "extender-tls", .hosts = {"localhost"}}}};
  }

  std::unique_ptr<Controller> Make(Controller::Options options) {
    return std::make_unique<Controller>(
        std::move(options),
        std::make_shared<const policies::scheduling::SchedulingEngine>(
            policies::scheduling::Catalog(), "berth.dev", policies::scheduling::SchedulingConfig{}),
        snapshot_.get(), &observer_, &nobody_, &nobody_, &planner_metrics_);
  }

  std::unique_ptr<Controller> Start(Controller::Options options) {
    auto controller = Make(std::move(options));
    controller->Start();
    return controller;
  }

  /// Somebody else has renewed the Lease a moment ago.
  void LeadAs(const std::string& other) {
    const kube::LeaseRecord record{.holder = other, .duration = std::chrono::seconds(15)};
    api_.Put(kLease, nlohmann::json::parse(
                         kube::NewLeaseToJson("berth-system", "berth-controller", record)));
  }

  /// Who holds the Lease; "": nobody.
  std::string Holder() { return api_.Get(kLease)["spec"].value("holderIdentity", ""); }

  SharedApi api_;
  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot({GpuNode("v100-1", kV100)});
  server::Metrics metrics_;
  Observer observer_{metrics_};
  PlannerMetrics planner_metrics_{metrics_};
  NoObserver nobody_;
};

TEST_F(ControllerTest, LabelsNodesOnceItLeads) {
  const auto controller = Start(Options());
  ASSERT_TRUE(api_.AwaitRequest(kPatchNode));
  EXPECT_TRUE(controller->Leads());
  EXPECT_EQ(Holder(), "me");
  EXPECT_EQ(api_.Get(kNode)["metadata"]["labels"]["berth.dev/accelerator"], "V100");
}

TEST_F(ControllerTest, SaysWhyItPlansNoGangs) {
  Controller::Options options = Options();
  const auto off = Make(options)->GangsStatus();
  EXPECT_TRUE(absl::IsFailedPrecondition(off));
  EXPECT_EQ(off.message(), "gangs are not planned; set planner.gangs.enabled: true");
  options.planner.schedulers.clear();
  EXPECT_THAT(Make(options)->GangsStatus().message(), testing::HasSubstr("planner.schedulers"));
  options = Options();
  options.planner.gangs.enabled = true;
  EXPECT_EQ(Make(options)->GangsStatus(),
            absl::UnavailableError("no controller leads, so nobody plans gangs; try again"));
  LeadAs("other");
  const auto controller = Start(options);
  ASSERT_TRUE(api_.AwaitRequest(std::string("GET ") + kLease));
  controller->Stop();
  EXPECT_EQ(
      controller->GangsStatus(),
      absl::UnavailableError("this controller does not lead, so it plans no gangs; ask other"));
}

TEST_F(ControllerTest, TaintsExcludedNodesIfItIsConfiguredTo) {
  model::NodeState broken = Broken(GpuNode("v100-1", kV100));
  broken.node.uid = "u-1";
  snapshot_->UpsertNode(broken.node);
  snapshot_->UpsertNode(GpuNode("v100-2", kV100).node);
  const nlohmann::json node = {{"metadata", {{"uid", "u-1"}, {"resourceVersion", "7"}}}};
  api_.Put("/api/v1/nodes?fieldSelector=metadata.name%3Dv100-1",
           {{"items", nlohmann::json::array({node})}});
  Controller::Options options = Options();
  options.taints = true;
  const auto controller = Start(std::move(options));
  ASSERT_TRUE(
      api_.Await([](const FakeApi& api) { return api.objects.at(kNode).contains("spec"); }));
  EXPECT_EQ(api_.Get(kNode)["spec"]["taints"][0]["key"], "berth.dev/excluded");
}

TEST_F(ControllerTest, TakesAwayWhatNodesKeepForGangsWhereNoneArePlanned) {
  model::NodeState node = GpuNode("v100-1", kV100);
  node.node.annotations = {{"berth.dev/kept", "of an earlier configuration"}};
  snapshot_->UpsertNode(node.node);
  api_.Put(kNode, {{"metadata", {{"annotations", {{"berth.dev/kept", "x"}}}}}});
  const auto controller = Start(Options());
  EXPECT_TRUE(api_.Await([](const FakeApi& api) {
    return !api.objects.at(kNode)["metadata"]["annotations"].contains("berth.dev/kept");
  }));
}

// The pod's report counts a node that has recovered.
TEST_F(ControllerTest, NudgesPodsOnceItLeads) {
  const auto controller = Start(Options());
  ASSERT_TRUE(api_.AwaitRequest(kPatchPod));
  EXPECT_EQ(api_.Get(kPod)["metadata"]["annotations"]["berth.dev/nudged-at"],
            "2027-01-15T08:00:00Z");
}

TEST_F(ControllerTest, KeepsCertificatesOnceItLeads) {
  Controller::Options options = Options();
  options.certificates = OneServer();
  const auto controller = Start(std::move(options));
  EXPECT_TRUE(api_.Await([](const FakeApi& api) { return api.objects.contains(kSecret); }));
}

// What has to be there before it writes, LostPodDeleter's tests say; here it reads the Job. With a
// share below 1 it would watch for a quarter of an hour first.
TEST_F(ControllerTest, LooksAfterPodsOnLostNodesIfItIsConfiguredTo) {
  snapshot_->UpsertNode(LostNode(std::chrono::minutes(20), "lost"));
  snapshot_->UpsertPod(HangingPod("lost"));
  Controller::Options options = Options();
  options.lost_nodes = {.force_delete_after = std::chrono::minutes(15), .max_share = 1};
  const auto controller = Start(std::move(options));
  EXPECT_TRUE(api_.AwaitRequest("GET /apis/batch/v1/namespaces/ml/jobs/train"));
}

TEST_F(ControllerTest, GivesWhatItMakesAndTheLeasesOfOthersToItsOwner) {
  api_.Put("/api/v1/namespaces/berth-system/configmaps/berth", {{"metadata", {{"uid", "u1"}}}});
  const std::string lease = std::string(kLeases) + "/berth-scheduler";
  api_.Put(lease, {{"metadata", {{"name", "berth-scheduler"}}}});
  Controller::Options options = Options();
  options.certificates = OneServer();
  options.owner = "berth";
  options.owned_leases = {"berth-scheduler"};
  const auto controller = Start(std::move(options));
  ASSERT_TRUE(api_.Await([](const FakeApi& api) { return api.objects.contains(kSecret); }));
  for (const std::string& object : {std::string(kSecret), lease}) {
    EXPECT_EQ(api_.Get(object)["metadata"]["ownerReferences"][0]["uid"], "u1") << object;
  }
}

TEST_F(ControllerTest, WatchesButWritesNothingWhileAnotherLeads) {
  LeadAs("other");
  Controller::Options options = Options();
  options.certificates = OneServer();
  const auto controller = Start(std::move(options));
  ASSERT_TRUE(api_.AwaitRequest("GET /api/v1/pods"));
  ASSERT_TRUE(api_.AwaitRequest(std::string("GET ") + kLease));
  controller->Stop();
  EXPECT_FALSE(controller->Leads());
  EXPECT_THAT(api_.requests(), Each(StartsWith("GET ")));
  EXPECT_EQ(Holder(), "other");
}

// Certificates do not depend on nodes: servers may need them to come up.
TEST_F(ControllerTest, NodesAreLabelledOnlyOnceNodesAndPodsAreListed) {
  snapshot_ = MakeUnsyncedSnapshot();
  snapshot_->UpsertNode(GpuNode("v100-1", kV100).node);
  Controller::Options options = Options();
  options.certificates = OneServer();
  const auto controller = Start(std::move(options));
  ASSERT_TRUE(api_.Await([](const FakeApi& api) { return api.objects.contains(kSecret); }));
  EXPECT_THAT(api_.requests(), Not(Contains(kPatchNode)));
  for (const auto kind : {cluster::Kind::kNodes, cluster::Kind::kPods}) {
    snapshot_->BeginReplace(kind);
    if (kind == cluster::Kind::kNodes) snapshot_->UpsertNode(GpuNode("v100-1", kV100).node);
    snapshot_->EndReplace(kind);
  }
  EXPECT_TRUE(api_.AwaitRequest(kPatchNode));
}

TEST_F(ControllerTest, GivesUpTheLeaseWhenItIsStopped) {
  const auto controller = Start(Options());
  ASSERT_TRUE(api_.AwaitRequest(kPatchNode));
  controller->Stop();
  EXPECT_FALSE(controller->Leads());
  EXPECT_EQ(Holder(), "");
}

// Else the process would be killed, and the next leader would have to wait for the Lease to end.
TEST_F(ControllerTest, GivesUpTheLeaseThoughAWriteHangs) {
  api_.hangs = kPatchNode;
  const auto controller = Start(Options());
  ASSERT_TRUE(api_.AwaitRequest(kPatchNode));
  controller->Stop();
  EXPECT_EQ(Holder(), "");
}

TEST_F(ControllerTest, AsksForNothingBeforeItIsStarted) {
  Make(Options())->Stop();
  EXPECT_THAT(api_.requests(), IsEmpty());
}

}  // namespace
}  // namespace berth::controller
