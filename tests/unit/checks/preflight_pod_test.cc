#include "checks/preflight_pod.h"

#include <nlohmann/json.hpp>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"
#include "tests/unit/checks/fixture.h"

namespace berth::checks {
namespace {

using nlohmann::json;

PreflightOrder SomeOrder(std::size_t rank) {
  PreflightOrder order{.image = "registry.example/all-reduce:1",
                       .command = {"/all-reduce"},
                       .timeout = std::chrono::minutes(2),
                       .run_as_user = 65534,
                       .port = 29500,
                       .gang = "ml/train",
                       .run = 0xab,
                       .rank = rank,
                       .size = 4,
                       .master = rank == 0 ? "" : "10.0.0.7",
                       .node = "gpu-1",
                       .node_uid = "gpu-1-uid",
                       .requests = {}};
  order.requests.Set("cpu", 1500);
  order.requests.Set("memory", std::int64_t{4} << 30);
  order.requests.Set(kGpu, 8);
  order.requests.Set("rdma/hca", 2);
  order.requests.Set("example.com/none", 0);
  return order;
}

json PodOf(std::size_t rank) {
  return json::parse(PreflightPodJson(SomeOrder(rank), {}, kNames, {}));
}

PreflightPodRead ReadJson(const json& pod) {
  kube::JsonParser parser;
  const std::string text = pod.dump();
  absl::Status error;
  const kube::JsonValue value(parser.Parse(text).value(), kube::Path("Pod"), error);
  const PreflightPodRead read = ReadPreflightPod(value, kNames);
  EXPECT_TRUE(error.ok()) << error;
  return read;
}

TEST(PreflightPodJson, GoesPastKubeSchedulerAndGetsWhatTheGangAsksFor) {
  const json spec = PodOf(1)["spec"];
  EXPECT_EQ(spec["nodeName"], "gpu-1");
  EXPECT_EQ(spec["tolerations"], json::parse(R"([{"operator": "Exists"}])"));
  EXPECT_EQ(spec["priorityClassName"], "berth-checks");
  EXPECT_EQ(spec["activeDeadlineSeconds"], 120);
  const json& resources = spec["containers"][0]["resources"];
  EXPECT_EQ(resources["requests"], json({{"cpu", "1500m"},
                                         {"memory", "4294967296"},
                                         {"nvidia.com/gpu", "8"},
                                         {"rdma/hca", "2"}}));
  EXPECT_EQ(resources["limits"], resources["requests"]);
}

TEST(PreflightPodJson, TellsEachPodItsRankAndWhereTheFirstOneIs) {
  EXPECT_EQ(PodOf(1)["spec"]["containers"][0]["env"], json::parse(R"([
      {"name": "RANK", "value": "1"}, {"name": "WORLD_SIZE", "value": "4"},
      {"name": "MASTER_PORT", "value": "29500"}, {"name": "MASTER_ADDR", "value": "10.0.0.7"}])"));
  EXPECT_EQ(PodOf(0)["spec"]["containers"][0]["env"], json::parse(R"([
      {"name": "RANK", "value": "0"}, {"name": "WORLD_SIZE", "value": "4"},
      {"name": "MASTER_PORT", "value": "29500"},
      {"name": "MASTER_ADDR", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}])"));
}

TEST(PreflightPod, IsReadAsItWasWritten) {
  json pod = PodOf(3);
  pod["metadata"]["uid"] = "pod-uid";
  pod["status"] = json::parse(R"({"phase": "Failed", "podIP": "10.0.0.9", "containerStatuses": [
      {"name": "check", "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}]})");
  const PreflightPodRead read = ReadJson(pod);
  EXPECT_EQ(read.pod.name, "berth-preflight-00000000000000ab-3");
  EXPECT_EQ(read.pod.uid, "pod-uid");
  EXPECT_EQ(read.pod.node, "gpu-1");
  EXPECT_EQ(read.pod.node_uid, "gpu-1-uid");
  EXPECT_EQ(read.pod.outcome, Outcome::kFailed);
  EXPECT_EQ(read.pod.exit_code, 3);
  EXPECT_EQ(read.gang, "ml/train");
  EXPECT_EQ(read.run, 0xab);
  EXPECT_EQ(read.rank, 3);
  EXPECT_EQ(read.address, "10.0.0.9");
}

// The controller counts such pods as nothing, so nobody else's may be taken for one.
TEST(PreflightPod, IsToldFromOthersByNamespaceAndName) {
  const std::string name = PreflightPodName(0xab, 3);
  EXPECT_TRUE(IsPreflightPod("berth-system", name, kNames));
  EXPECT_FALSE(IsPreflightPod("ml", name, kNames));
  EXPECT_FALSE(IsPreflightPod("berth-system", "berth-controller-0", kNames));
}

}  // namespace
}  // namespace berth::checks
