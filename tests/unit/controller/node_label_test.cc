#include "controller/node_label.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using scheduling::GpuNode;
using scheduling::NodeWith;
using testing::ElementsAre;

constexpr char kV100[] = "Tesla-V100-SXM2-32GB";

std::optional<std::string> Wanted(const model::NodeState& state) {
  return WantedLabel(state, *scheduling::Catalog(), kLabel);
}

model::NodeState InUse(model::NodeState state) {
  state.used.Set(scheduling::kGpu, 1);
  return state;
}

TEST(WantedLabel, IsTheNameInTheCatalogue) {
  EXPECT_EQ(Wanted(GpuNode("a", kV100)), "V100");
  EXPECT_EQ(Wanted(NodeWith("b", scheduling::kMnCore, 4)), "MN-Core");
}

TEST(WantedLabel, StaysWhereItIsRight) {
  EXPECT_EQ(Wanted(Labelled(GpuNode("a", kV100), "V100")), std::nullopt);
}

TEST(WantedLabel, IsChangedOnlyOnNodesWithoutPods) {
  const model::NodeState renamed = Labelled(GpuNode("a", kV100), "Volta");
  EXPECT_EQ(Wanted(renamed), "V100");
  EXPECT_EQ(Wanted(InUse(renamed)), std::nullopt);
}

TEST(WantedLabel, IsSetThoughPodsAreThere) {
  EXPECT_EQ(Wanted(InUse(GpuNode("a", kV100))), "V100");
}

TEST(WantedLabel, OutlivesWhatTheCatalogueKnew) {
  // Its devices have vanished, or its product is one that nobody listed.
  EXPECT_EQ(Wanted(Labelled(NodeWith("a", "cpu", 64), "V100")), std::nullopt);
  EXPECT_EQ(Wanted(Labelled(GpuNode("a", "Tesla-K80"), "V100")), std::nullopt);
  EXPECT_EQ(Wanted(NodeWith("a", "cpu", 64)), std::nullopt);
}

TEST(WantedLabel, NothingIsWrittenOnANodeThatCannotBeRead) {
  model::NodeState state = GpuNode("a", kV100);
  state.quarantined = true;
  EXPECT_EQ(Wanted(state), std::nullopt);
}

TEST(WantedLabel, AnEmptyValueIsWrongToo) {
  EXPECT_EQ(Wanted(Labelled(GpuNode("a", kV100), "")), "V100");
}

TEST(NodesToLabel, AreThoseOfTheView) {
  const auto snapshot = MakeSnapshot({GpuNode("a", kV100), Labelled(GpuNode("b", kV100), "V100"),
                                      NodeWith("c", "cpu", 8), Labelled(GpuNode("d", kV100), "x"),
                                      Labelled(GpuNode("e", kV100), "x")});
  snapshot->UpsertPod(PodOn("d"));
  snapshot->UpsertNode(GpuNode("f", kV100).node);
  snapshot->DeleteNode("f");
  EXPECT_THAT(NodesToLabel(snapshot->Read(), snapshot->catalog(), kLabel), ElementsAre("a", "e"));
}

}  // namespace
}  // namespace berth::controller
