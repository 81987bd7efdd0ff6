#include "placement/cluster_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/extender/fixtures.h"

namespace berth::placement {
namespace {

using model::ConditionStatus;
using policies::scheduling::GpuNode;
using policies::scheduling::Mode;
using testing::HasSubstr;
using testing::Not;

std::string Exposition(extender::ExtenderUnderTest& berth, Mode mode = Mode::kEnforce) {
  berth.metrics->AddCollectable(std::make_shared<ClusterMetrics>(
      berth.snapshot, policies::scheduling::HealthConfig{}, mode, "berth.dev/excluded",
      [] { return policies::scheduling::kNow; }, berth.breaker_log));
  return berth.metrics->Exposition();
}

TEST(ClusterMetrics, CountDevicesByAccelerator) {
  auto broken = GpuNode("broken", "NVIDIA-A30", 6);
  broken.node.allocatable.Set(policies::scheduling::kGpu, 5);
  extender::ExtenderUnderTest berth({GpuNode("whole", "NVIDIA-A30", 6), broken,
                                     policies::scheduling::NodeWith("cpu", "cpu", 64000)});
  model::Pod pod = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 4);
  pod.node_name = "broken";
  berth.snapshot.UpsertPod(pod);
  const std::string text = Exposition(berth);
  EXPECT_THAT(text, HasSubstr(R"(berth_nodes{accelerator="A30"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_nodes{accelerator="none"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_accelerator_devices{accelerator="A30",state="total"} 12)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_accelerator_devices{accelerator="A30",state="used"} 4)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_accelerator_devices{accelerator="A30",state="free"} 7)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_accelerator_devices{accelerator="A100",state="total"} 0)"));
}

TEST(ClusterMetrics, TellWhoHoldsDevices) {
  extender::ExtenderUnderTest berth({GpuNode("a", "NVIDIA-A30", 6)});
  const auto bind = [&berth](std::string name, std::string creator, std::int64_t devices) {
    model::Pod pod = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, devices);
    pod.namespace_ = "vision";
    pod.name = std::move(name);
    pod.uid = pod.name;
    pod.node_name = "a";
    if (!creator.empty()) pod.annotations = {{"berth.dev/created-by", std::move(creator)}};
    berth.snapshot.UpsertPod(pod);
  };
  bind("cnn", "alice@example.com", 2);
  bind("vit", "alice@example.com", 1);
  bind("old", "", 1);
  const std::string text = Exposition(berth);
  EXPECT_THAT(text, HasSubstr("berth_devices_in_use{creator=\"alice@example.com\","
                              "namespace=\"vision\",accelerator=\"A30\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("berth_devices_in_use{creator=\"(unknown)\",namespace=\"vision\","
                              "accelerator=\"A30\"} 1\n"));
}

TEST(ClusterMetrics, NameOnlySoManyWhoHoldDevices) {
  extender::ExtenderUnderTest berth({GpuNode("a", "NVIDIA-A30", 6)});
  for (std::size_t i = 0; i < ClusterMetrics::kMostUsers + 5; ++i) {
    model::Pod pod = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 1);
    pod.namespace_ = "vision";
    pod.name = std::to_string(i);
    pod.uid = pod.name;
    pod.node_name = "a";
    pod.annotations = {{"berth.dev/created-by", "user-" + pod.name}};
    berth.snapshot.UpsertPod(pod);
  }
  const std::string text = Exposition(berth);
  EXPECT_THAT(text, HasSubstr("berth_devices_in_use{creator=\"(others)\",namespace=\"(others)\","
                              "accelerator=\"A30\"} 5\n"));
}

TEST(ClusterMetrics, CountNodesByConditionAndEffect) {
  model::NodeState restarted = GpuNode("d", "NVIDIA-A30");
  restarted.node.conditions = {{"GPUIsLost", ConditionStatus::kFalse, policies::scheduling::kNow,
                                policies::scheduling::kNow}};
  extender::ExtenderUnderTest berth(
      {extender::WithCondition(GpuNode("a", "NVIDIA-A30"), "GPUIsLost", ConditionStatus::kTrue),
       extender::WithCondition(GpuNode("b", "NVIDIA-A30"), "GPUIsLost", ConditionStatus::kUnknown),
       extender::WithCondition(GpuNode("c", "NVIDIA-A30"), "NICLinkDown", ConditionStatus::kTrue),
       restarted});
  const std::string text = Exposition(berth);
  const auto sample = [](const std::string& condition, const std::string& resources,
                         const std::string& effect, int value) {
    return HasSubstr("berth_nodes_by_condition{condition=\"" + condition + "\",resources=\"" +
                     resources + "\",effect=\"" + effect + "\"} " + std::to_string(value));
  };
  EXPECT_THAT(text, sample("GPUIsLost", "", "Exclude", 1));
  EXPECT_THAT(text, sample("GPUIsLost", "", "Penalize", 1));
  EXPECT_THAT(text, sample("GPUIsLost", "", "Recovering", 1));
  EXPECT_THAT(text, sample("NICLinkDown", "rdma/*", "Exclude", 1));
  EXPECT_THAT(text, sample("NICLinkDown", "", "Penalize", 1));
}

std::size_t SeriesOf(const std::string& text, const std::string& name) {
  std::size_t count = 0;
  for (std::size_t at = text.find("\n" + name); at != std::string::npos; ++count) {
    at = text.find("\n" + name, at + 1);
  }
  return count;
}

TEST(ClusterMetrics, NameExcludedNodesAndNoOthers) {
  const std::string begun = std::to_string(policies::scheduling::kNow.time_since_epoch().count());
  model::NodeState lost = GpuNode("lost", "NVIDIA-A30", 6);
  lost.node.conditions = {{"GPUIsLost", ConditionStatus::kTrue, policies::scheduling::kNow,
                           policies::scheduling::kNow}};
  extender::ExtenderUnderTest berth(
      {lost,
       extender::WithCondition(GpuNode("undated", "NVIDIA-A30"), "NICLinkDown",
                               ConditionStatus::kTrue),
       extender::WithCondition(GpuNode("well", "NVIDIA-A30"), "GPUIsLost",
                               ConditionStatus::kFalse)});
  const std::string text = Exposition(berth);
  const std::string of_lost =
      R"({node="lost",accelerator="A30",condition="GPUIsLost",resources=""} )";
  EXPECT_THAT(text, HasSubstr("berth_node_excluded_devices" + of_lost + "6"));
  EXPECT_THAT(text, HasSubstr("berth_node_excluded_since_seconds" + of_lost + begun));
  EXPECT_THAT(text, HasSubstr(R"(berth_node_excluded_devices{node="undated",accelerator="A30",)"
                              R"(condition="NICLinkDown",resources="rdma/*"} 8)"));
  EXPECT_EQ(SeriesOf(text, "berth_node_excluded_devices{"), 2U);
  EXPECT_EQ(SeriesOf(text, "berth_node_excluded_since_seconds{"), 2U);
  EXPECT_THAT(text, HasSubstr("berth_node_exclusions_omitted 0"));
}

// Pods go there as before: nobody is to repair the node, and nothing is lost.
TEST(ClusterMetrics, NameNoExcludedNodesWhereThePolicyOnlyObserves) {
  extender::ExtenderUnderTest berth({extender::WithCondition(GpuNode("lost", "NVIDIA-A30"),
                                                             "GPUIsLost", ConditionStatus::kTrue)});
  const std::string text = Exposition(berth, Mode::kObserve);
  EXPECT_EQ(SeriesOf(text, "berth_node_excluded_devices{"), 0U);
  EXPECT_EQ(SeriesOf(text, "berth_node_excluded_since_seconds{"), 0U);
  EXPECT_THAT(text, HasSubstr("berth_node_exclusions_omitted 0"));
  EXPECT_THAT(text, HasSubstr("berth_nodes_by_condition{condition=\"GPUIsLost\",resources=\"\","
                              "effect=\"Exclude\"} 1"));
}

TEST(ClusterMetrics, NameNoMoreExcludedNodesThanMonitoringBears) {
  std::vector<model::NodeState> nodes;
  for (std::size_t i = 0; i < ClusterMetrics::kMostExclusions + 2; ++i) {
    nodes.push_back(extender::WithCondition(GpuNode("n" + std::to_string(i), "NVIDIA-A30"),
                                            "GPUIsLost", ConditionStatus::kTrue));
  }
  extender::ExtenderUnderTest berth(nodes);
  const std::string text = Exposition(berth);
  EXPECT_EQ(SeriesOf(text, "berth_node_excluded_devices{"), ClusterMetrics::kMostExclusions);
  EXPECT_THAT(text, HasSubstr("berth_node_exclusions_omitted 2"));
}

TEST(ClusterMetrics, CountTaintedNodes) {
  const auto tainted = [](model::NodeState state, const std::string& key,
                          const std::string& effect) {
    state.node.taints = {{key, "GPUIsLost", effect}};
    return state;
  };
  cluster::Snapshot snapshot(
      {.catalog = policies::scheduling::Catalog(), .labels = {}, .whole_pods = true});
  snapshot.UpsertNode(tainted(GpuNode("a", "NVIDIA-A30"), "berth.dev/excluded", "NoSchedule").node);
  snapshot.UpsertNode(tainted(GpuNode("b", "NVIDIA-A30"), "berth.dev/excluded", "NoSchedule").node);
  snapshot.UpsertNode(tainted(GpuNode("c", "NVIDIA-A30"), "berth.dev/excluded", "NoExecute").node);
  snapshot.UpsertNode(tainted(GpuNode("d", "NVIDIA-A30"), "other.dev/x", "NoSchedule").node);
  BreakerLog log;
  server::Metrics metrics;
  metrics.AddCollectable(std::make_shared<ClusterMetrics>(
      snapshot, policies::scheduling::HealthConfig{}, Mode::kEnforce, "berth.dev/excluded",
      [] { return policies::scheduling::kNow; }, log));
  const std::string text = metrics.Exposition();
  EXPECT_THAT(text, HasSubstr(R"(berth_nodes_tainted{accelerator="A30"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_nodes_tainted{accelerator="V100"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_nodes_tainted{accelerator="none"} 0)"));
}

TEST(ClusterMetrics, TellWhichBreakersAreTripped) {
  std::vector<model::NodeState> nodes;
  for (int i = 0; i < 12; ++i) {
    nodes.push_back(
        extender::WithCondition(GpuNode("n" + std::to_string(i), "NVIDIA-A30"), "GPUIsLost",
                                i < 7 ? ConditionStatus::kTrue : ConditionStatus::kFalse));
  }
  extender::ExtenderUnderTest berth(nodes);
  berth.metrics->AddCollectable(std::make_shared<ClusterMetrics>(
      berth.snapshot, policies::scheduling::HealthConfig{}, Mode::kEnforce, "berth.dev/excluded",
      [] { return policies::scheduling::kNow; }, berth.breaker_log));
  const auto exposition = [&berth] {
    testing::internal::CaptureStderr();
    const std::string text = berth.metrics->Exposition();
    EXPECT_THAT(text, HasSubstr("berth_breaker_tripped{accelerator=\"V100\","
                                "condition=\"GPUIsLost\"} 0"));
    return std::pair(text, testing::internal::GetCapturedStderr());
  };
  const std::string a30 = "berth_breaker_tripped{accelerator=\"A30\",condition=\"GPUIsLost\"} ";
  const auto [tripped, warning] = exposition();
  EXPECT_THAT(tripped, HasSubstr(a30 + "1"));
  EXPECT_THAT(warning, HasSubstr("breaker tripped"));
  berth.snapshot.DeleteNode("n0");
  berth.snapshot.DeleteNode("n1");
  const auto [reset, info] = exposition();
  EXPECT_THAT(reset, HasSubstr(a30 + "0"));
  EXPECT_THAT(info, HasSubstr("breaker reset"));
}

TEST(ClusterMetrics, TellHowFreshTheSnapshotIs) {
  extender::ExtenderUnderTest berth({});
  berth.snapshot.MarkHeard(cluster::Kind::kNodes,
                           cluster::Snapshot::Clock::now() - std::chrono::hours(2));
  const std::string text = Exposition(berth);
  EXPECT_THAT(text, HasSubstr("berth_snapshot_synced 1"));
  EXPECT_THAT(text, HasSubstr(R"(berth_snapshot_age_seconds{kind="nodes"} 72)"));
  EXPECT_THAT(text, Not(HasSubstr(R"(berth_snapshot_age_seconds{kind="pods"})")));
}

TEST(ClusterMetrics, CountWhatIsInQuarantine) {
  extender::ExtenderUnderTest berth({GpuNode("a", "NVIDIA-A30"), GpuNode("b", "NVIDIA-A30")});
  berth.snapshot.QuarantineNode({.kind = "Node", .name = "a", .error = "odd"});
  berth.snapshot.QuarantineNode({.kind = "Node", .name = "new", .error = "odd"});
  berth.snapshot.QuarantinePod({.kind = "Pod", .namespace_ = "ml", .name = "p", .error = "odd"});
  const std::string text = Exposition(berth);
  EXPECT_THAT(text, HasSubstr(R"(berth_quarantined_objects{kind="nodes"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_quarantined_objects{kind="pods"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_quarantined_objects{kind="services"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_nodes{accelerator="A30"} 2)"));
}

}  // namespace
}  // namespace berth::placement
