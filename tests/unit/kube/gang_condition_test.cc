// What the condition of a pod tells of its gang, from JSON and from protobuf alike.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"
#include "kube/protobuf.h"
#include "tests/unit/kube/wire_fixtures.h"

namespace berth::kube {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Eq;

struct ToldCondition {
  std::string type;
  std::string status;
  // Nothing: the condition has no such field.
  std::optional<std::string> message;
};

nlohmann::json JsonOf(const ToldCondition& condition) {
  nlohmann::json json = {{"type", condition.type}, {"status", condition.status}};
  if (condition.message) json["message"] = *condition.message;
  return json;
}

// What is read of a pod with these conditions, from each encoding.
std::vector<std::optional<std::string>> WhyGangWaitsBy(const std::vector<ToldCondition>& conditions,
                                                       const std::string& node = "") {
  nlohmann::json object = {{"spec", {{"nodeName", node}}},
                           {"status", {{"conditions", nlohmann::json::array()}}}};
  pb::Pod message;
  message.mutable_spec()->set_node_name(node);
  for (const ToldCondition& condition : conditions) {
    object["status"]["conditions"].push_back(JsonOf(condition));
    pb::PodCondition& added = *message.mutable_status()->add_conditions();
    added.set_type(condition.type);
    added.set_status(condition.status);
    if (condition.message) added.set_message(*condition.message);
  }
  JsonParser parser;
  const auto from_json = PodFromJson(parser.Parse(object.dump()).value(), "Pod");
  EXPECT_TRUE(from_json.ok()) << from_json.status();
  const auto page = DecodePage<model::Pod>(Body("PodList", ListOf(message)));
  EXPECT_TRUE(page.ok()) << page.status();
  return {from_json->why_gang_waits, page->items.at(0).why_gang_waits};
}

TEST(GangCondition, SaysWhyTheGangWaits) {
  const std::string why = "gang train of 4: 3 of 4 pods fit at once";
  EXPECT_THAT(
      WhyGangWaitsBy({{"PodScheduled", "False", "gated"}, {"berth.dev/gang", "False", why}}),
      ElementsAre(why, why));
  EXPECT_THAT(WhyGangWaitsBy({{"example.com/gang", "False", why}}), Each(Eq(why)))
      << "whatever the prefix";
}

// The planner takes such a condition back, too.
TEST(GangCondition, TellsThatTheGangWaitsEvenWithoutAMessage) {
  EXPECT_THAT(WhyGangWaitsBy({{"berth.dev/gang", "False", std::nullopt}}), Each(Eq("")));
  EXPECT_THAT(WhyGangWaitsBy({{"berth.dev/gang", "False", ""}}), Each(Eq("")));
}

TEST(GangCondition, OfAGangThatDoesNotWaitIsNotRead) {
  EXPECT_THAT(WhyGangWaitsBy({}), Each(Eq(std::nullopt)));
  EXPECT_THAT(WhyGangWaitsBy({{"berth.dev/gang", "True", "released"}}), Each(Eq(std::nullopt)));
  EXPECT_THAT(WhyGangWaitsBy({{"gang", "False", "another's"}}), Each(Eq(std::nullopt)));
  EXPECT_THAT(WhyGangWaitsBy({{"berth.dev/gang", "False", "late"}}, "n1"), Each(Eq(std::nullopt)))
      << "it is bound";
}

// Whoever may write the status of pods may make the message as long as an object can be.
TEST(GangCondition, IsCutBetweenTwoCharacters) {
  const auto read = [](const std::string& message) {
    return WhyGangWaitsBy({{"berth.dev/gang", "False", message}});
  };
  const std::string longest(model::kMostGangMessage, 'x');
  EXPECT_THAT(read(longest), Each(Eq(longest)));
  EXPECT_THAT(read(longest + 'x'), Each(Eq(std::string(model::kMostGangMessage - 3, 'x') + "...")));
  EXPECT_THAT(read(std::string(model::kMostGangMessage - 4, 'x') + "\u65e5\u672c"),
              Each(Eq(std::string(model::kMostGangMessage - 4, 'x') + "...")));
}

}  // namespace
}  // namespace berth::kube
