#include "controller/node_labeler.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::controller {
namespace {

using policies::scheduling::GpuNode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

using policies::scheduling::kV100;

class NodeLabelerTest : public ::testing::Test {
 protected:
  void Reply(int status, int times = 1) {
    for (int i = 0; i < times; ++i) transport_.replies.push_back({.status = status, .body = "{}"});
  }

  /// Lets it run for so long.
  void RunFor(milliseconds duration) {
    time_.end = time_.now + duration;
    labeler_.Run();
  }

  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  kube::ScriptedTransport transport_;
  Patcher patcher_{&transport_};
  LimitedTime time_;
  WriteRecord record_;
  bool leads_ = true;
  NodeLabeler labeler_{
      {.labels = NodeLabelNames("berth.dev"), .may_write = [this] { return leads_; }},
      snapshot_.get(),
      &patcher_,
      &time_,
      &record_};
};

TEST_F(NodeLabelerTest, PatchesTheLabelsAtOnceAndNothingElse) {
  model::Node node = GpuNode("node-1", kV100).node;
  node.uid = "u-1";
  snapshot_->UpsertNode(node);
  Reply(200);
  RunFor(seconds(1));
  ASSERT_THAT(transport_.requests, SizeIs(1));
  const kube::HttpRequest& request = transport_.requests[0];
  EXPECT_EQ(request.method, kube::HttpMethod::kPatch);
  EXPECT_EQ(request.target, "/api/v1/nodes/node-1");
  EXPECT_EQ(request.content_type, "application/merge-patch+json");
  EXPECT_EQ(
      request.body,
      R"({"metadata":{"labels":{"berth.dev/accelerator":"V100","berth.dev/accelerator-memory":"32"},"uid":"u-1"}})");
  EXPECT_THAT(record_.written,
              ElementsAre("label node-1 "
                          "berth.dev/accelerator=V100,berth.dev/accelerator-memory=32"));
}

TEST_F(NodeLabelerTest, WritesTwentyASecondAtMost) {
  for (int i = 0; i < 100; ++i) {
    snapshot_->UpsertNode(GpuNode("node-" + std::to_string(i), kV100).node);
  }
  Reply(200, 100);
  RunFor(seconds(1));
  EXPECT_THAT(transport_.requests, SizeIs(20));
}

// As after an upgrade from a version that knew one label only.
TEST_F(NodeLabelerTest, PatchesTheLabelThatIsMissing) {
  model::NodeState node = GpuNode("node-1", kV100);
  node.node.uid = "u-1";
  node.node.labels.emplace_back(kLabel, "V100");
  model::Normalize(node.node.labels);
  snapshot_->UpsertNode(node.node);
  Reply(200);
  RunFor(seconds(1));
  ASSERT_THAT(transport_.requests, SizeIs(1));
  EXPECT_EQ(transport_.requests[0].body,
            R"({"metadata":{"labels":{"berth.dev/accelerator-memory":"32"},"uid":"u-1"}})");
}

// The watch tells of the label only after a while.
TEST_F(NodeLabelerTest, GivesAWriteTimeToBeSeen) {
  snapshot_->UpsertNode(GpuNode("node-1", kV100).node);
  Reply(200, 2);
  RunFor(milliseconds(1900));
  EXPECT_THAT(transport_.requests, SizeIs(1));
  snapshot_->UpsertNode(Labelled(GpuNode("node-1", kV100), "V100").node);
  RunFor(seconds(60));
  EXPECT_THAT(transport_.requests, SizeIs(1));
}

TEST_F(NodeLabelerTest, TriesAgainAfterGrowingWaits) {
  snapshot_->UpsertNode(GpuNode("node-1", kV100).node);
  Reply(403, 100);
  RunFor(seconds(31));  // at 0, 2, 6, 14 and 30 s
  EXPECT_THAT(record_.statuses, SizeIs(5));
  EXPECT_TRUE(absl::IsPermissionDenied(record_.statuses[0]));
}

TEST_F(NodeLabelerTest, AFailureHoldsUpNoOtherNode) {
  snapshot_->UpsertNode(GpuNode("node-1", kV100).node);
  snapshot_->UpsertNode(GpuNode("node-2", kV100).node);
  Reply(404);
  Reply(200);
  RunFor(seconds(1));
  EXPECT_THAT(record_.written,
              ElementsAre(StartsWith("label node-1 "), StartsWith("label node-2 ")));
}

// A node goes, and another one of its name comes, while the write is on its way.
TEST_F(NodeLabelerTest, AnotherNodeOfTheNameGetsALabelOfItsOwn) {
  model::Node node = GpuNode("node-1", kV100).node;
  node.uid = "u-1";
  snapshot_->UpsertNode(node);
  Reply(409);
  Reply(200);
  time_.on_wait = [&] {
    node = GpuNode("node-1", "NVIDIA-A30").node;
    node.uid = "u-2";
    snapshot_->UpsertNode(node);
  };
  RunFor(seconds(3));
  ASSERT_THAT(transport_.requests, SizeIs(2));
  EXPECT_THAT(transport_.requests[0].body, testing::HasSubstr(R"("uid":"u-1")"));
  EXPECT_EQ(transport_.requests[1].body, R"({"metadata":{"labels":{"berth.dev/accelerator":"A30",)"
                                         R"("berth.dev/accelerator-memory":"24"},"uid":"u-2"}})");
  EXPECT_TRUE(absl::IsAborted(record_.statuses[0]));
}

TEST_F(NodeLabelerTest, WritesNothingWithoutTheRightTo) {
  snapshot_->UpsertNode(GpuNode("node-1", kV100).node);
  leads_ = false;
  RunFor(seconds(10));
  EXPECT_THAT(transport_.requests, IsEmpty());
}

TEST_F(NodeLabelerTest, StopsAmongTheNodesWhenItLosesTheRight) {
  for (int i = 0; i < 9; ++i) {
    snapshot_->UpsertNode(GpuNode("node-" + std::to_string(i), kV100).node);
  }
  Reply(200, 9);
  time_.on_wait = [&] { leads_ = transport_.requests.size() < 3; };
  RunFor(seconds(10));
  EXPECT_THAT(transport_.requests, SizeIs(3));
}

TEST_F(NodeLabelerTest, LooksAtEachNodeAgainBeforeItsTurn) {
  snapshot_->UpsertNode(Labelled(GpuNode("node-1", kV100), "Volta").node);
  snapshot_->UpsertNode(Labelled(GpuNode("node-2", kV100), "Volta").node);
  Reply(200, 2);
  // By the time that it comes to the second node, a pod is there.
  time_.on_wait = [&] { snapshot_->UpsertPod(PodOn("node-2")); };
  RunFor(seconds(1));
  EXPECT_THAT(record_.written, ElementsAre("label node-1 berth.dev/accelerator=V100"));
}

TEST_F(NodeLabelerTest, WaitsUntilThePodsAreKnown) {
  cluster::Snapshot fresh({.catalog = policies::scheduling::Catalog(), .labels = {kLabel}});
  fresh.BeginReplace(cluster::Kind::kNodes);
  fresh.UpsertNode(GpuNode("node-1", kV100).node);
  fresh.EndReplace(cluster::Kind::kNodes);
  NodeLabeler labeler({.labels = NodeLabelNames("berth.dev"), .may_write = [] { return true; }},
                      &fresh, &patcher_, &time_, &record_);
  labeler.Run();
  EXPECT_THAT(transport_.requests, IsEmpty());
}

}  // namespace
}  // namespace berth::controller
