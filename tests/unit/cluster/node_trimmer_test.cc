#include "cluster/node_trimmer.h"

#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

TEST(NodeTrimmer, KeepsTheLabelsThatSomethingAsksAbout) {
  struct Case {
    const char* label;
    bool kept;
  };
  const Case cases[] = {
      {"example.com/model", true},          // named by the catalogue
      {"nvidia.com/gpu.family", false},     // nobody asks
      {"berth.dev/accelerator", true},      // asked for by name
      {"berth.dev/accelerator-x", false},   // a name is no prefix
      {"kubernetes.io/hostname", false},    // nobody asks
      {"example.com/model.version", false}  // a name is no prefix
  };
  const NodeTrimmer trimmer(TestCatalog(), {.labels = {"berth.dev/accelerator"}});
  for (const Case& c : cases) {
    model::Node node = MakeNode("a");
    node.labels = {{c.label, "x"}};
    EXPECT_EQ(model::Find(trimmer.Trim(node).labels, c.label).has_value(), c.kept) << c.label;
  }
}

TEST(NodeTrimmer, KeepsWhatGpuFeatureDiscoverySaysOfDevices) {
  model::Node node = MakeNode("a");
  node.labels = {{"nvidia.com/gpu.count", "8"},
                 {"nvidia.com/gpu.memory", "32768"},
                 {"nvidia.com/gpu.replicas", "4"},
                 {"nvidia.com/mig.strategy", "none"}};
  EXPECT_EQ(NodeTrimmer(TestCatalog(), {}).Trim(node).labels, node.labels);
}

TEST(NodeTrimmer, KeepsTheResourcesOfTheCatalogueEvenWhereThereAreNone) {
  model::Node node = MakeNode("a", 0);
  node.capacity.Set("cpu", 36000);
  node.allocatable.Set("ephemeral-storage", 1 << 30);
  const model::Node trimmed = NodeTrimmer(TestCatalog(), {}).Trim(node);
  EXPECT_TRUE(trimmed.capacity.Has(kGpu));
  EXPECT_TRUE(trimmed.allocatable.Has(kGpu));
  EXPECT_FALSE(trimmed.capacity.Has("cpu"));
  EXPECT_FALSE(trimmed.allocatable.Has("ephemeral-storage"));
}

TEST(NodeTrimmer, KeepsTheTaintsThatOnlyRank) {
  model::Node node = MakeNode("a");
  node.taints = {{"a", "", "NoSchedule"}, {"b", "x", "PreferNoSchedule"}, {"c", "", "NoExecute"}};
  EXPECT_EQ(NodeTrimmer(TestCatalog(), {}).Trim(node).taints,
            (std::vector<model::Taint>{{"b", "x", "PreferNoSchedule"}}));
}

TEST(NodeTrimmer, KeepsTheTaintThatItIsAskedFor) {
  model::Node node = MakeNode("a");
  node.taints = {{"a", "", "NoSchedule"}, {"b", "x", "NoSchedule"}, {"b", "x", "NoExecute"}};
  EXPECT_EQ(NodeTrimmer(TestCatalog(), {.taint = "b"}).Trim(node).taints,
            (std::vector<model::Taint>{{"b", "x", "NoSchedule"}, {"b", "x", "NoExecute"}}));
}

TEST(NodeTrimmer, KeepsTheTaintOfNodesThatAreBeingRepaired) {
  model::Node node = MakeNode("a");
  node.taints = {{"nodeops.k8s.preferred.jp/operating", "", "NoSchedule"}};
  EXPECT_EQ(NodeTrimmer(TestCatalog(), {}).Trim(node).taints, node.taints);
}

constexpr char kAvx[] = "feature.node.kubernetes.io/cpu-cpuid.AVX";

TEST(NodeTrimmer, ForWholePodsKeepsEveryLabelButNodeFeatures) {
  const struct {
    const char* label;
    bool kept;
  } cases[] = {
      {"kubernetes.io/hostname", true},
      {"nvidia.com/gpu.family", true},
      {"rack", true},
      {"feature.node.kubernetes.io", true},  // not below it
      {kAvx, false},
      {"feature.node.kubernetes.io/pci-10de.present", true},  // asked for by name
  };
  const NodeTrimmer trimmer(
      TestCatalog(),
      {.labels = {"feature.node.kubernetes.io/pci-10de.present"}, .whole_pods = true});
  for (const auto& [label, kept] : cases) {
    model::Node node = MakeNode("a");
    node.labels = {{label, "x"}};
    EXPECT_EQ(model::Find(trimmer.Trim(node).labels, label).has_value(), kept) << label;
  }
}

TEST(NodeTrimmer, ForWholePodsKeepsWhatKubeSchedulerFiltersBy) {
  model::Node node = MakeNode("a");
  node.unschedulable = true;
  node.taints = {{"a", "", "NoSchedule"}, {"b", "x", "PreferNoSchedule"}, {"c", "", "NoExecute"}};
  for (const char* name : {"cpu", "memory", "pods", "hugepages-1Gi"}) node.allocatable.Set(name, 9);
  const model::Node trimmed = NodeTrimmer(TestCatalog(), {.whole_pods = true}).Trim(node);
  EXPECT_TRUE(trimmed.unschedulable);
  EXPECT_EQ(trimmed.taints, node.taints);
  EXPECT_EQ(trimmed.allocatable, node.allocatable);
}

TEST(NodeTrimmer, KeepsTheUidWhereItIsAskedFor) {
  model::Node node = MakeNode("a");
  node.uid = "u-1";
  EXPECT_EQ(NodeTrimmer(TestCatalog(), {}).Trim(node).uid, "");
  EXPECT_EQ(NodeTrimmer(TestCatalog(), {.uids = true}).Trim(node).uid, "u-1");
}

TEST(NodeTrimmer, KeepsEveryConditionAndTheName) {
  model::Node node = MakeNode("a");
  node.conditions = {{.type = "Ready"}, {.type = "GPUIsLost"}, {.type = "GPUIsLost"}};
  const model::Node trimmed = NodeTrimmer(TestCatalog(), {}).Trim(node);
  EXPECT_EQ(trimmed.name, "a");
  EXPECT_EQ(trimmed.conditions, node.conditions);
}

}  // namespace
}  // namespace berth::cluster
