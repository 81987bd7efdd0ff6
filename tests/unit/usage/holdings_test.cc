#include "usage/holdings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>

namespace berth::usage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kHeldGpu[] = "nvidia.com/gpu";
constexpr char kSlice[] = "nvidia.com/mig-1g.10gb";
constexpr char kMnCore[] = "preferred.jp/mncore";
constexpr char kCreatedBy[] = "berth.dev/created-by";
constexpr model::Time kCreated{model::Duration(1'780'315'200)};

std::shared_ptr<const model::AcceleratorCatalog> MakeCatalog() {
  auto catalog = model::AcceleratorCatalog::Make(
      {{.name = "A100",
        .resource = kHeldGpu,
        .slices = {{kSlice, 7}},
        .nodes = {{"example.com/model", "^a100$"}}},
       {.name = "V100", .resource = kHeldGpu, .nodes = {{"example.com/model", "^v100$"}}},
       {.name = "MN-Core", .resource = kMnCore, .nodes = {}}});
  return std::make_shared<const model::AcceleratorCatalog>(*std::move(catalog));
}

class HoldingsTest : public testing::Test {
 protected:
  HoldingsTest() {
    AddNode("a", "a100", kHeldGpu);
    AddNode("v", "v100", kHeldGpu);
    AddNode("mn", "", kMnCore);
    AddNode("odd", "p100", kHeldGpu);
  }

  void AddNode(const std::string& name, const std::string& model, const std::string& resource) {
    model::Node node;
    node.name = name;
    if (!model.empty()) node.labels = {{"example.com/model", model}};
    node.capacity.Set(resource, 8);
    node.allocatable.Set(resource, 8);
    snapshot_.UpsertNode(node);
  }

  void Bind(const std::string& creator, const std::string& name, const std::string& node,
            const std::string& resource, std::int64_t devices) {
    const std::size_t slash = name.find('/');
    model::Pod pod;
    pod.namespace_ = name.substr(0, slash);
    pod.name = name.substr(slash + 1);
    pod.uid = name;
    pod.node_name = node;
    pod.created = kCreated;
    if (!creator.empty()) pod.annotations = {{kCreatedBy, creator}};
    pod.requests.Set(resource, devices);
    pod.requests.Set("cpu", 1000);
    snapshot_.UpsertPod(pod);
  }

  std::vector<Holding> Holdings(const std::string& namespace_name = "") {
    return HoldingsOf(snapshot_.Read(), *catalog_, namespace_name);
  }
  std::vector<DevicesInUse> InUse(std::size_t most = 1000) {
    return CountDevicesInUse(snapshot_.Read(), *catalog_, most);
  }

  const std::shared_ptr<const model::AcceleratorCatalog> catalog_ = MakeCatalog();
  cluster::Snapshot snapshot_{
      {.catalog = catalog_, .labels = {}, .whole_pods = true, .creator_annotation = kCreatedBy}};
};

TEST_F(HoldingsTest, TellWhatEachPodHolds) {
  Bind("bob", "vision/train", "a", kHeldGpu, 4);
  Bind("alice", "nlp/bert", "mn", kMnCore, 2);
  Bind("", "nlp/old", "odd", kHeldGpu, 1);
  Bind("carol", "vision/web", "a", "memory", 1);
  Bind("dave", "vision/early", "unknown", kHeldGpu, 1);
  EXPECT_THAT(Holdings(),
              ElementsAre(Holding{"nlp", "bert", "alice", "mn", "MN-Core", kMnCore, 2, kCreated},
                          Holding{"nlp", "old", "", "odd", "", kHeldGpu, 1, kCreated},
                          Holding{"vision", "early", "dave", "", "", kHeldGpu, 1, kCreated},
                          Holding{"vision", "train", "bob", "a", "A100", kHeldGpu, 4, kCreated}));
  EXPECT_THAT(Holdings("nlp"), SizeIs(2));
  EXPECT_THAT(Holdings("nl"), IsEmpty());
}

TEST_F(HoldingsTest, TellSlicesByTheirResource) {
  Bind("bob", "vision/small", "a", kSlice, 2);
  EXPECT_THAT(Holdings(),
              ElementsAre(Holding{"vision", "small", "bob", "a", "A100", kSlice, 2, kCreated}));
  EXPECT_THAT(InUse(), IsEmpty()) << "a slice is no whole device";
}

TEST_F(HoldingsTest, AreSummedUpByCreatorNamespaceAndAccelerator) {
  Bind("bob", "vision/1", "a", kHeldGpu, 4);
  Bind("bob", "vision/2", "a", kHeldGpu, 2);
  Bind("bob", "vision/3", "v", kHeldGpu, 1);
  Bind("bob", "nlp/4", "v", kHeldGpu, 1);
  Bind("", "nlp/5", "v", kHeldGpu, 3);
  Bind("bob", "nlp/6", "odd", kHeldGpu, 5);
  EXPECT_THAT(
      InUse(),
      ElementsAre(DevicesInUse{"bob", "vision", "A100", 6}, DevicesInUse{"bob", "nlp", "none", 5},
                  DevicesInUse{"(unknown)", "nlp", "V100", 3},
                  DevicesInUse{"bob", "nlp", "V100", 1}, DevicesInUse{"bob", "vision", "V100", 1}));
}

TEST_F(HoldingsTest, KeepTheirSumHoweverFewAreTold) {
  Bind("a", "n/1", "a", kHeldGpu, 5);
  Bind("b", "n/2", "a", kHeldGpu, 2);
  Bind("c", "n/3", "a", kHeldGpu, 1);
  Bind("c", "n/4", "v", kHeldGpu, 1);
  EXPECT_THAT(InUse(1), ElementsAre(DevicesInUse{"a", "n", "A100", 5},
                                    DevicesInUse{"(others)", "(others)", "A100", 3},
                                    DevicesInUse{"(others)", "(others)", "V100", 1}));
}

// The API accepts any amount on a pod that names its node itself. The snapshot cuts the amount of
// each pod, but not how many pods there are.
TEST_F(HoldingsTest, SumUpToNoMoreThanFits) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kPods = kMost / cluster::PodLedger::kMaxAmount + 1;
  for (std::int64_t i = 0; i < kPods; ++i) {
    Bind("bob", "vision/" + std::to_string(i), "a", kHeldGpu, kMost);
  }
  EXPECT_THAT(InUse(), ElementsAre(DevicesInUse{"bob", "vision", "A100", kMost}));
  EXPECT_THAT(Greatest({{"a", "n", "A100", kMost}, {"b", "n", "A100", kMost}}, 0),
              ElementsAre(DevicesInUse{"(others)", "(others)", "A100", kMost}));
}

}  // namespace
}  // namespace berth::usage
