#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"
#include "kube/protobuf.h"
#include "tests/unit/kube/wire_fixtures.h"

// When a pod was bound, from JSON and from protobuf alike.

namespace berth::kube {
namespace {

using ::testing::Each;

constexpr model::Time kBound{std::chrono::seconds(1'769'860'800)};
constexpr char kBoundText[] = "2026-01-31T12:00:00Z";

std::vector<model::Time> BoundBy(const std::string& status, const std::string& node) {
  const nlohmann::json object = {
      {"spec", {{"nodeName", node}}},
      {"status",
       {{"conditions", nlohmann::json::array({{{"type", "Ready"},
                                               {"status", "True"},
                                               {"lastTransitionTime", "2026-01-31T13:00:00Z"}},
                                              {{"type", "PodScheduled"},
                                               {"status", status},
                                               {"lastTransitionTime", kBoundText}}})}}}};
  pb::Pod message = MakePod();
  message.mutable_spec()->set_node_name(node);
  pb::PodCondition& condition = *message.mutable_status()->add_conditions();
  condition.set_type("PodScheduled");
  condition.set_status(status);
  condition.mutable_last_transition_time()->set_seconds(kBound.time_since_epoch().count());
  JsonParser parser;
  const auto json = PodFromJson(parser.Parse(object.dump()).value(), "Pod");
  EXPECT_TRUE(json.ok()) << json.status();
  const auto page = DecodePage<model::Pod>(Body("PodList", ListOf(message)));
  EXPECT_TRUE(page.ok()) << page.status();
  return {json->bound, page->items.at(0).bound};
}

TEST(BoundPod, TellsWhenItWasBound) { EXPECT_THAT(BoundBy("True", "gpu-1"), Each(kBound)); }

TEST(BoundPod, TellsNothingWithoutThatCondition) {
  EXPECT_THAT(BoundBy("False", "gpu-1"), Each(model::kNoTime));
  EXPECT_THAT(BoundBy("True", ""), Each(model::kNoTime));
}

}  // namespace
}  // namespace berth::kube
