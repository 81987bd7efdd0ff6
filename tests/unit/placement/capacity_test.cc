#include "placement/capacity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/extender/fixtures.h"

namespace berth::placement {
namespace {

using model::ConditionStatus;
using policies::scheduling::GpuNode;
using policies::scheduling::kGpu;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kA30[] = "NVIDIA-A30";

Capacity CapacityOf(extender::ExtenderUnderTest& berth) {
  return CountCapacity(berth.snapshot.Read(), *berth.engine, policies::scheduling::kNow);
}

const AcceleratorCapacity& Of(const Capacity& capacity, const std::string& name) {
  for (const AcceleratorCapacity& each : capacity.accelerators) {
    if (each.accelerator == name) return each;
  }
  ADD_FAILURE() << name;
  return capacity.accelerators.front();
}

void Bind(extender::ExtenderUnderTest& berth, const std::string& node, std::int64_t devices) {
  model::Pod pod = policies::scheduling::PodAskingFor(kGpu, devices);
  pod.name = "on-" + node;
  pod.node_name = node;
  berth.snapshot.UpsertPod(pod);
}

model::NodeState With(std::string name, std::string condition) {
  return extender::WithCondition(GpuNode(std::move(name), kA30, 6), std::move(condition),
                                 ConditionStatus::kTrue);
}

TEST(Capacity, CountsTheDevicesOfEveryEntryOfTheCatalogue) {
  auto broken = GpuNode("broken", kA30, 6);
  broken.node.allocatable.Set(kGpu, 5);
  extender::ExtenderUnderTest berth(
      {GpuNode("whole", kA30, 6), broken,
       policies::scheduling::NodeWith("mn", policies::scheduling::kMnCore, 4)});
  Bind(berth, "broken", 4);
  const Capacity capacity = CapacityOf(berth);
  EXPECT_EQ(capacity.time, policies::scheduling::kNow);
  EXPECT_EQ(capacity.accelerators.size(), policies::scheduling::Catalog()->size());
  EXPECT_EQ(Of(capacity, "A30").resource, kGpu);
  EXPECT_EQ(Of(capacity, "A30").devices, (DeviceTotals{2, 12, 4, 7}));
  EXPECT_EQ(Of(capacity, "MN-Core").devices, (DeviceTotals{1, 4, 0, 4}));
  EXPECT_EQ(Of(capacity, "A100").devices, DeviceTotals{});
  EXPECT_THAT(capacity.unrecognised, IsEmpty());
}

// The API accepts any number of devices, and Berth adds them up over nodes.
TEST(Capacity, CountsNoMoreThanFits) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto free = GpuNode("free", kA30, kMost);
  auto used = free;
  used.used.Set(kGpu, kMost);
  DeviceTotals totals;
  for (const model::NodeState& node : {free, free, used, used}) totals.Add(node, kGpu);
  EXPECT_EQ(totals, (DeviceTotals{4, kMost, kMost, kMost}));
}

TEST(Capacity, TellsWhatConditionsPutOutOfReach) {
  extender::ExtenderUnderTest berth({GpuNode("good", kA30, 6), With("lost-1", "GPUIsLost"),
                                     With("lost-2", "GPUIsLost"), With("pending", "GPUPendingPage"),
                                     With("slow", "PCIeLinkDegraded")});
  Bind(berth, "lost-1", 4);
  const AcceleratorCapacity a30 = Of(CapacityOf(berth), "A30");
  EXPECT_EQ(a30.devices, (DeviceTotals{5, 30, 4, 26}));
  EXPECT_THAT(a30.excluded,
              ElementsAre(ExcludedCapacity{"node(s) had condition GPUIsLost", "GPUIsLost",
                                           DeviceTotals{2, 12, 4, 8}},
                          ExcludedCapacity{"node(s) had condition GPUPendingPage", "GPUPendingPage",
                                           DeviceTotals{1, 6, 0, 6}}));
}

TEST(Capacity, TellsWhatIsBeingRepaired) {
  auto idle = GpuNode("idle", kA30, 6);
  auto lost = With("lost", "GPUIsLost");
  for (model::NodeState* state : {&idle, &lost}) {
    state->node.taints = {{"nodeops.k8s.preferred.jp/operating", "", "NoSchedule"}};
  }
  extender::ExtenderUnderTest berth({GpuNode("good", kA30, 6), idle, lost});
  EXPECT_THAT(Of(CapacityOf(berth), "A30").excluded,
              ElementsAre(ExcludedCapacity{"node(s) had condition GPUIsLost", "GPUIsLost",
                                           DeviceTotals{1, 6, 0, 6}},
                          ExcludedCapacity{"under repair by node-operation-controller",
                                           "under repair by node-operation-controller",
                                           DeviceTotals{1, 6, 0, 6}}));
}

// What is kept for a gang keeps a pod off as well, but does not exclude the node.
TEST(Capacity, TellsWhatIsBeingRepairedAlsoWhereDevicesAreKept) {
  auto kept = GpuNode("kept", kA30, 6);
  kept.node.annotations = {
      {"berth.dev/kept",
       model::KeptRoomsText({{.gang = "ml/train",
                              .resource = std::string(kGpu),
                              .devices = 6,
                              .priority = 5,
                              .created = policies::scheduling::kNow - std::chrono::hours(1),
                              .until = policies::scheduling::kNow + std::chrono::minutes(10)}})}};
  auto operated = kept;
  operated.node.name = "operated";
  operated.node.taints = {{"nodeops.k8s.preferred.jp/operating", "", "NoSchedule"}};
  extender::ExtenderUnderTest berth({kept, operated});
  EXPECT_THAT(Of(CapacityOf(berth), "A30").excluded,
              ElementsAre(ExcludedCapacity{"under repair by node-operation-controller",
                                           "under repair by node-operation-controller",
                                           DeviceTotals{1, 6, 0, 6}}));
}

// kube-scheduler places no pods on them, so their free devices are no use to anybody.
TEST(Capacity, TellsWhatIsNotReadyOrCordoned) {
  auto away = GpuNode("away", kA30, 6);
  away.node.conditions.push_back(
      {"Ready", ConditionStatus::kUnknown, policies::scheduling::kNow, policies::scheduling::kNow});
  auto cordoned = GpuNode("cordoned", kA30, 6);
  cordoned.node.unschedulable = true;
  auto lost = With("lost", "GPUIsLost");
  lost.node.unschedulable = true;
  extender::ExtenderUnderTest berth({GpuNode("good", kA30, 6), away, cordoned, lost});
  const AcceleratorCapacity a30 = Of(CapacityOf(berth), "A30");
  EXPECT_EQ(a30.devices, (DeviceTotals{4, 24, 0, 24}));
  const DeviceTotals one{1, 6, 0, 6};
  EXPECT_THAT(a30.excluded,
              ElementsAre(ExcludedCapacity{"node(s) had condition GPUIsLost", "GPUIsLost", one},
                          ExcludedCapacity{"cordoned", "cordoned", one},
                          ExcludedCapacity{"not Ready", "not Ready", one}));
}

TEST(Capacity, TellsWhatCannotBeRead) {
  extender::ExtenderUnderTest berth({GpuNode("odd", kA30, 6)});
  EXPECT_THAT(CapacityOf(berth).hints, IsEmpty());
  berth.snapshot.QuarantineNode({.kind = "Node", .name = "odd", .error = "many is no quantity"});
  const Capacity capacity = CapacityOf(berth);
  EXPECT_THAT(capacity.hints,
              ElementsAre("node odd cannot be read; it gets no pods until it can be: many is no "
                          "quantity"));
  EXPECT_EQ(Of(capacity, "A30").devices.nodes, 1U) << "it counts as it was last known";
}

TEST(Capacity, IgnoresConditionsThatOnlyMatterWithOtherResources) {
  extender::ExtenderUnderTest berth({With("a", "NICLinkDown")});
  EXPECT_THAT(Of(CapacityOf(berth), "A30").excluded, IsEmpty());
}

TEST(Capacity, NamesDevicesThatTheCatalogueDoesNotKnow) {
  extender::ExtenderUnderTest berth({GpuNode("p100", "Tesla-P100-PCIE-16GB"),
                                     GpuNode("a30", kA30, 6),
                                     policies::scheduling::NodeWith("cpu", "cpu", 64000)});
  Bind(berth, "p100", 3);
  const Capacity capacity = CapacityOf(berth);
  EXPECT_THAT(capacity.unrecognised,
              ElementsAre(UnrecognisedCapacity{std::string(kGpu), DeviceTotals{1, 8, 3, 5}}));
  EXPECT_EQ(Of(capacity, "A30").devices.nodes, 1u);
}

TEST(Capacity, NamesASingleDeviceThatTheCatalogueDoesNotKnow) {
  extender::ExtenderUnderTest berth({GpuNode("workstation", "Tesla-P100-PCIE-16GB", 1)});
  EXPECT_THAT(CapacityOf(berth).unrecognised,
              ElementsAre(UnrecognisedCapacity{std::string(kGpu), DeviceTotals{1, 1, 0, 1}}));
}

// More in use than is left: what one node lacks must not be taken from another's.
TEST(Capacity, CountsNoFreeDevicesBelowZero) {
  auto shrunk = GpuNode("shrunk", kA30, 6);
  shrunk.node.allocatable.Set(kGpu, 2);
  extender::ExtenderUnderTest berth({shrunk, GpuNode("whole", kA30, 6)});
  Bind(berth, "shrunk", 5);
  EXPECT_EQ(Of(CapacityOf(berth), "A30").devices, (DeviceTotals{2, 12, 5, 6}));
}

TEST(Capacity, NodesThatCannotBeReadAreOutOfReach) {
  extender::ExtenderUnderTest berth({GpuNode("odd", kA30, 6), GpuNode("good", kA30, 6)});
  berth.snapshot.QuarantineNode({.kind = "Node", .name = "odd", .error = "odd"});
  berth.snapshot.QuarantineNode({.kind = "Node", .name = "never read", .error = "odd"});
  const Capacity capacity = CapacityOf(berth);
  EXPECT_EQ(Of(capacity, "A30").devices, (DeviceTotals{2, 12, 0, 12}));
  EXPECT_THAT(Of(capacity, "A30").excluded,
              ElementsAre(ExcludedCapacity{"node(s) could not be read by Berth", "cannot be read",
                                           DeviceTotals{1, 6, 0, 6}}));
}

}  // namespace
}  // namespace berth::placement
