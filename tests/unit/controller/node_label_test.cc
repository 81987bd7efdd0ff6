#include "controller/node_label.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using policies::scheduling::GpuNode;
using policies::scheduling::NodeWith;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using policies::scheduling::kV100;

const NodeLabelNames kLabelNames("berth.dev");

model::StringMap Wanted(const model::NodeState& state) {
  return WantedLabels(state, *policies::scheduling::Catalog(), kLabelNames);
}

model::NodeState InUse(model::NodeState state) {
  state.used.Set(policies::scheduling::kGpu, 1);
  return state;
}

/// A node whose drivers report so many MiB.
model::NodeState Reporting(const std::string& mebibytes, const std::string& product = kV100) {
  return NodeWith("a", policies::scheduling::kGpu, 8,
                  {{"nvidia.com/gpu.product", product}, {"nvidia.com/gpu.memory", mebibytes}});
}

TEST(WantedLabels, AreTheNameInTheCatalogueAndTheMemory) {
  EXPECT_THAT(Wanted(GpuNode("a", kV100)),
              ElementsAre(Pair(kLabel, "V100"), Pair(kMemoryLabel, "32")));
  EXPECT_THAT(Wanted(NodeWith("b", policies::scheduling::kMnCore, 4)),
              ElementsAre(Pair(kLabel, "MN-Core")));
}

TEST(WantedLabels, StayWhereTheyAreRight) {
  EXPECT_THAT(Wanted(Labelled(GpuNode("a", kV100), "V100")), IsEmpty());
}

TEST(WantedLabels, ChangeTheModelOnlyOnNodesWithoutPods) {
  const model::NodeState renamed = Labelled(GpuNode("a", kV100), "Volta");
  EXPECT_THAT(Wanted(renamed), ElementsAre(Pair(kLabel, "V100")));
  EXPECT_THAT(Wanted(InUse(renamed)), IsEmpty());
}

TEST(WantedLabels, ChangeBesidePodsWithoutAccelerators) {
  model::NodeState renamed = Labelled(GpuNode("a", kV100), "Volta");
  renamed.used.Set("cpu", 500);  // a view of whole pods
  EXPECT_THAT(Wanted(renamed), ElementsAre(Pair(kLabel, "V100")));
}

TEST(WantedLabels, AreSetThoughPodsAreThere) {
  EXPECT_THAT(Wanted(InUse(GpuNode("a", kV100))),
              ElementsAre(Pair(kLabel, "V100"), Pair(kMemoryLabel, "32")));
}

TEST(WantedLabels, OutliveWhatWasKnown) {
  // Its devices have vanished, or its product is one that nobody listed.
  EXPECT_THAT(Wanted(Labelled(NodeWith("a", "cpu", 64), "V100")), IsEmpty());
  EXPECT_THAT(Wanted(Labelled(GpuNode("a", "Tesla-K80"), "V100")), IsEmpty());
  EXPECT_THAT(Wanted(NodeWith("a", "cpu", 64)), IsEmpty());
}

TEST(WantedLabels, NothingIsWrittenOnANodeThatCannotBeRead) {
  model::NodeState state = GpuNode("a", kV100);
  state.quarantined = true;
  EXPECT_THAT(Wanted(state), IsEmpty());
}

TEST(WantedLabels, AnEmptyModelIsWrongToo) {
  EXPECT_THAT(Wanted(Labelled(GpuNode("a", kV100), "")), ElementsAre(Pair(kLabel, "V100")));
}

TEST(WantedLabels, TellTheGreatestMinimumThatTheReportedMemoryMeets) {
  EXPECT_EQ(model::Find(Wanted(Reporting("16384")), kMemoryLabel), "17");
  EXPECT_EQ(model::Find(Wanted(Reporting("32510")), kMemoryLabel), "34");
  EXPECT_EQ(model::Find(Wanted(Reporting("900")), kMemoryLabel), "0");
  // Not even its model is known, but this is.
  EXPECT_THAT(Wanted(Reporting("81559", "Tesla-P100-PCIE-16GB")),
              ElementsAre(Pair(kMemoryLabel, "85")));
}

// Pods are bound there for the label, and kubelet would fail them.
TEST(WantedLabels, LowerTheMemoryOnlyOnNodesWithoutPods) {
  const model::NodeState swapped = Labelled(Reporting("16384"), "V100", "34");
  EXPECT_THAT(Wanted(swapped), ElementsAre(Pair(kMemoryLabel, "17")));
  EXPECT_THAT(Wanted(InUse(swapped)), IsEmpty());
}

// It keeps pods off the node that the extender would place there.
TEST(WantedLabels, RaiseTheMemoryAtOnce) {
  for (const char* low : {"17", "-1", "", "lots", "34Gi", "99999999999999999999"}) {
    EXPECT_THAT(Wanted(InUse(Labelled(Reporting("32510"), "V100", low))),
                ElementsAre(Pair(kMemoryLabel, "34")))
        << low;
  }
  EXPECT_THAT(Wanted(Labelled(Reporting("32510"), "V100", "034")), IsEmpty());
}

TEST(NodesToLabel, AreThoseOfTheView) {
  const auto snapshot = MakeSnapshot({GpuNode("a", kV100), Labelled(GpuNode("b", kV100), "V100"),
                                      NodeWith("c", "cpu", 8), Labelled(GpuNode("d", kV100), "x"),
                                      Labelled(GpuNode("e", kV100), "x"),
                                      Labelled(GpuNode("g", kV100), "V100", "16")});
  snapshot->UpsertPod(PodOn("d"));
  snapshot->UpsertNode(GpuNode("f", kV100).node);
  snapshot->DeleteNode("f");
  EXPECT_THAT(NodesToLabel(snapshot->Read(), snapshot->catalog(), kLabelNames),
              ElementsAre("a", "e", "g"));
}

}  // namespace
}  // namespace berth::controller
