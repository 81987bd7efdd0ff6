#include "policies/scheduling/exclusions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

using model::ConditionStatus;
using std::chrono::hours;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kA30[] = "NVIDIA-A30";
constexpr auto kStatusTrue = ConditionStatus::kTrue;
constexpr auto kStatusFalse = ConditionStatus::kFalse;
constexpr auto kStatusUnknown = ConditionStatus::kUnknown;

model::NodeState With(model::NodeState node, std::string type, ConditionStatus status,
                      model::Time since, model::Time heartbeat = kNow) {
  node.node.conditions.push_back({std::move(type), status, since, heartbeat});
  return node;
}

model::NodeState Node(std::string name, std::string type, ConditionStatus status, model::Time since,
                      model::Time heartbeat = kNow) {
  return With(GpuNode(std::move(name), kA30, 6), std::move(type), status, since, heartbeat);
}

HealthConfig ConfigWith(std::vector<HealthCondition> conditions) {
  HealthConfig config;
  config.profiles.clear();
  config.conditions = std::move(conditions);
  return config;
}

std::vector<Exclusion> Of(const HealthConfig& config, std::vector<model::NodeState> nodes) {
  return Exclusions(config, *Catalog(), FixedView(std::move(nodes)), kNow);
}

HealthConfig GpuIsLost() { return ConfigWith({{.type = "GPUIsLost"}}); }

std::vector<std::string> NamesOf(const std::vector<Exclusion>& exclusions) {
  std::vector<std::string> names;
  for (const Exclusion& each : exclusions) names.push_back(each.node + ": " + each.condition);
  return names;
}

TEST(Exclusions, SayWhichNodeWhyWhatItHasAndSinceWhen) {
  const auto found = Of(GpuIsLost(), {Node("a", "GPUIsLost", kStatusTrue, kNow - hours(1)),
                                      Node("b", "GPUIsLost", kStatusFalse, kNow - hours(1))});
  EXPECT_THAT(found, ElementsAre(Exclusion{.node = "a",
                                           .accelerator = Catalog()->Match(GpuNode("a", kA30).node),
                                           .condition = "GPUIsLost",
                                           .devices = 6,
                                           .since = kNow - hours(1)}));
}

TEST(Exclusions, AreSortedByAgeAndThereOnceForEachEntry) {
  const HealthConfig config =
      ConfigWith({{.type = "GPUIsLost"}, {.type = "NICLinkDown", .resources = {"rdma/*"}}});
  const auto found = Of(config, {Node("new", "GPUIsLost", kStatusTrue, kNow - minutes(1)),
                                 With(Node("both", "GPUIsLost", kStatusTrue, kNow - minutes(9)),
                                      "NICLinkDown", kStatusTrue, kNow - minutes(2)),
                                 Node("undated", "GPUIsLost", kStatusTrue, model::kNoTime)});
  EXPECT_THAT(NamesOf(found), ElementsAre("undated: GPUIsLost", "both: GPUIsLost",
                                          "both: NICLinkDown", "new: GPUIsLost"));
  EXPECT_THAT(found[2].resources, ElementsAre("rdma/*"));
}

TEST(Exclusions, DoNotHoldWhatOnlyPenalizesIsTooShortOrTellsOfMaintenance) {
  const HealthConfig config = ConfigWith({{.type = "PCIeLinkDegraded", .effect = Effect::kPenalize},
                                          {.type = "DStateProcess", .min_duration = minutes(10)},
                                          {.type = "MaintenancePlanned", .max_runtime = hours(1)},
                                          {.type = "Drained", .maintenance = true}});
  model::NodeState quarantined = Node("odd", "DStateProcess", kStatusTrue, kNow - hours(1));
  quarantined.quarantined = true;
  EXPECT_THAT(Of(config, {Node("a", "PCIeLinkDegraded", kStatusTrue, kNow - hours(1)),
                          Node("b", "DStateProcess", kStatusTrue, kNow - minutes(9)),
                          Node("c", "MaintenancePlanned", kStatusTrue, kNow - hours(1)),
                          Node("d", "Drained", kStatusTrue, kNow - hours(1)), quarantined}),
              IsEmpty());
  EXPECT_THAT(NamesOf(Of(config, {Node("b", "DStateProcess", kStatusTrue, kNow - minutes(10))})),
              ElementsAre("b: DStateProcess"));
}

TEST(Exclusions, BeginWithTheFaultAndNotWithTheRestartOfItsDetector) {
  model::NodeState again = Node("a", "GPUIsLost", kStatusTrue, kNow - minutes(1));
  again.past = {
      {.type = "GPUIsLost", .since = kNow - hours(3), .until = kNow - minutes(2), .lasts = true}};
  model::NodeState kept = Node("b", "GPUIsLost", kStatusFalse, kNow - minutes(1));
  kept.past = {{"GPUIsLost", kNow - hours(2), kNow - minutes(1)}};
  const auto found = Of(GpuIsLost(), {kept, again});
  EXPECT_THAT(NamesOf(found), ElementsAre("a: GPUIsLost", "b: GPUIsLost"));
  EXPECT_EQ(found.front().since, kNow - hours(3));
  EXPECT_EQ(found.back().since, kNow - hours(2));
}

TEST(Exclusions, OfUnknownConditionsBeginWhenNothingWasHeardAnyMore) {
  HealthConfig config = GpuIsLost();
  config.unknown_status = Effect::kExclude;
  config.stale_after = minutes(10);
  const auto found =
      Of(config, {Node("silent", "GPUIsLost", kStatusFalse, kNow - hours(9), kNow - minutes(30)),
                  Node("unknown", "GPUIsLost", kStatusUnknown, kNow - minutes(5))});
  EXPECT_THAT(NamesOf(found), ElementsAre("silent: GPUIsLost", "unknown: GPUIsLost"));
  EXPECT_EQ(found.front().since, kNow - minutes(20) + model::Duration(1));
  EXPECT_EQ(found.back().since, kNow - minutes(5));
}

TEST(Exclusions, GoByTheBreakerOnlyIfItPutsNodesBack) {
  std::vector<model::NodeState> nodes;
  for (int i = 0; i < 10; ++i) {
    nodes.push_back(Node("n" + std::to_string(i), "GPUIsLost", kStatusTrue, kNow - hours(1)));
  }
  HealthConfig config = GpuIsLost();
  EXPECT_EQ(Of(config, nodes).size(), 10U);
  config.breaker.action = BreakerAction::kPenalize;
  EXPECT_THAT(Of(config, nodes), IsEmpty());
}

TEST(Exclusions, CountDevicesThatTheDriverDoesNotListAnyMore) {
  model::NodeState fewer = Node("a", "GPUIsLost", kStatusTrue, kNow - hours(1));
  fewer.gpu.count = 8;
  const model::NodeState cpu =
      With(NodeWith("cpu", "cpu", 64000), "GPUIsLost", kStatusTrue, kNow - minutes(1));
  const auto found = Of(GpuIsLost(), {fewer, cpu});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].devices, 8);
  EXPECT_EQ(found[1].devices, 0);
  EXPECT_EQ(found[1].accelerator, model::AcceleratorCatalog::kNone);
}

}  // namespace
}  // namespace berth::policies::scheduling
