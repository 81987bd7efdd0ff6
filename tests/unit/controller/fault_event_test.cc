#include "controller/fault_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using policies::scheduling::kNow;
using std::chrono::minutes;
using What = FaultChange::What;

constexpr char kSlice[] = "nvidia.com/mig-1g.5gb";
const model::AcceleratorSpec kPool = {.name = "A100",
                                      .resource = "nvidia.com/gpu",
                                      .slices = {{.resource = kSlice, .per_device = 7}},
                                      .nodes = {}};

FaultChange Change(What what, std::vector<std::string> resources = {}) {
  return {.what = what,
          .fault = {.node = "gpu-7",
                    .uid = "node-uid",
                    .condition = "GPUIsLost",
                    .resources = std::move(resources),
                    .since = kNow - minutes(3)},
          .after = minutes(3),
          .is_back = true};
}

TEST(FaultEvent, TellsOfANodeWhenItIsExcludedAndWhenItIsBack) {
  const auto excluded = EventOfNode(Change(What::kExcluded));
  ASSERT_TRUE(excluded);
  EXPECT_EQ(nlohmann::json::parse(JsonOf(*excluded, kNow)), nlohmann::json::parse(R"({
    "apiVersion": "v1", "kind": "Event", "metadata": {"name": ")" + excluded->id + R"("},
    "involvedObject": {"apiVersion": "v1", "kind": "Node", "name": "gpu-7", "uid": "node-uid"},
    "reason": "Excluded", "type": "Warning", "count": 1, "source": {"component": "berth"},
    "message": "Berth keeps pods that ask for accelerators off this node, which has had GPUIsLost since 2027-01-15T07:57:00Z.",
    "firstTimestamp": "2027-01-15T08:00:00Z", "lastTimestamp": "2027-01-15T08:00:00Z"})"));
  EXPECT_EQ(PathOf(*excluded), "/api/v1/namespaces/default/events");

  const auto returned = EventOfNode(Change(What::kReturned));
  ASSERT_TRUE(returned);
  EXPECT_EQ(returned->reason, "Returned");
  EXPECT_FALSE(returned->is_warning);
  EXPECT_EQ(returned->message,
            "Berth lets pods that ask for accelerators on this node again: GPUIsLost is over, "
            "after 3m.");

  EXPECT_FALSE(EventOfNode(Change(What::kVacated)));
  FaultChange still_out = Change(What::kReturned);
  still_out.is_back = false;
  EXPECT_FALSE(EventOfNode(still_out));
}

TEST(FaultEvent, OfATransitionHasOneName) {
  const auto id = [](const FaultChange& change) { return EventOfNode(change)->id; };
  FaultChange later = Change(What::kExcluded);
  later.fault.since = kNow;
  FaultChange other = Change(What::kExcluded);
  other.fault.condition = "NICLinkDown";
  FaultChange again = Change(What::kExcluded);
  again.after = minutes(4);
  EXPECT_EQ(id(again), id(Change(What::kExcluded)));
  EXPECT_NE(id(later), id(Change(What::kExcluded)));
  EXPECT_NE(id(other), id(Change(What::kExcluded)));
  EXPECT_NE(id(Change(What::kReturned)), id(Change(What::kExcluded)));
  EXPECT_NE(EventOfPod(Change(What::kExcluded), PodOn("gpu-7")).id, id(Change(What::kExcluded)));
}

TEST(FaultEvent, TellsPodsThatHoldDevices) {
  const FaultChange change = Change(What::kExcluded);
  const FaultEvent event = EventOfPod(change, PodOn("gpu-7"));
  const auto json = nlohmann::json::parse(JsonOf(event, kNow));
  EXPECT_EQ(json["involvedObject"],
            nlohmann::json::parse(
                R"({"apiVersion": "v1", "kind": "Pod", "name": "train", "namespace": "ml",
          "uid": "train-uid"})"));
  EXPECT_EQ(
      json["message"],
      "Node gpu-7 has had GPUIsLost since 2027-01-15T07:57:00Z. Berth puts no more pods that ask "
      "for accelerators there. This one may hang or fail: have it write a checkpoint while it "
      "can.");
  EXPECT_EQ(PathOf(event), "/api/v1/namespaces/ml/events");

  model::Pod ended = PodOn("gpu-7");
  ended.terminated = true;
  model::Pod cpu = PodOn("gpu-7");
  cpu.requests = {};
  EXPECT_TRUE(IsToldOf(change, PodOn("gpu-7"), kPool));
  EXPECT_FALSE(IsToldOf(change, PodOn("gpu-8"), kPool));
  EXPECT_FALSE(IsToldOf(change, ended, kPool));
  EXPECT_FALSE(IsToldOf(change, cpu, kPool));
}

TEST(FaultEvent, IsForPodsThatHoldSlicesToo) {
  model::Pod sliced = PodOn("gpu-7");
  sliced.requests = {};
  sliced.requests.Set(kSlice, 1);
  EXPECT_TRUE(IsToldOf(Change(What::kExcluded), sliced, kPool));
  model::Pod other = PodOn("gpu-7");
  other.requests = {};
  other.requests.Set("vendor.com/part", 1);
  EXPECT_FALSE(IsToldOf(Change(What::kExcluded), other, kPool));
}

TEST(FaultEvent, OfAConditionOfSomeResourcesIsForPodsThatAskForThem) {
  const FaultChange change = Change(What::kExcluded, {"rdma/*", "vendor.com/nic"});
  EXPECT_THAT(EventOfNode(change)->message,
              testing::StartsWith("Berth keeps pods that ask for accelerators and for rdma/* or "
                                  "vendor.com/nic off"));
  model::Pod rdma = PodOn("gpu-7");
  rdma.requests.Set("rdma/hca", 1);
  EXPECT_TRUE(IsToldOf(change, rdma, kPool));
  EXPECT_FALSE(IsToldOf(change, PodOn("gpu-7"), kPool));
}

}  // namespace
}  // namespace berth::controller
