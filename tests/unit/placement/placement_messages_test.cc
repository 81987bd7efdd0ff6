#include "placement/placement_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/extender/fixtures.h"
#include "tests/unit/policies/world.h"

namespace berth::placement {
namespace {

using policies::scheduling::World;

// Over the wire and back.
template <typename Message>
Message Sent(const Message& message) {
  Message received;
  EXPECT_TRUE(received.ParseFromString(message.SerializeAsString()));
  return received;
}

TEST(PlacementMessages, ExplanationsArriveAsTheyWere) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const World world(seed);
    policies::scheduling::SchedulingConfig config;
    std::get<policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>>(
        config.policies.all)
        .mode =
        seed % 2 == 0 ? policies::scheduling::Mode::kEnforce : policies::scheduling::Mode::kObserve;
    const extender::ExtenderUnderTest berth(world.nodes, config);
    const Explanation explanation =
        Explain(world.pod, berth.snapshot, *berth.engine, {.size = 8}, policies::scheduling::kNow);
    ASSERT_FALSE(explanation.not_shortlisted.empty()) << "Services are not known";
    EXPECT_EQ(FromMessage(Sent(ToMessage(explanation))), explanation) << seed;
  }
}

TEST(PlacementMessages, CapacitiesArriveAsTheyWere) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    extender::ExtenderUnderTest berth(World(seed).nodes);
    berth.snapshot.QuarantineNode({.kind = "Node", .name = "odd", .error = "breaks off"});
    const Capacity capacity =
        CountCapacity(berth.snapshot.Read(), *berth.engine, policies::scheduling::kNow);
    ASSERT_FALSE(capacity.hints.empty());
    EXPECT_EQ(FromMessage(Sent(ToMessage(capacity))), capacity) << seed;
  }
}

TEST(PlacementMessages, DecisionsSayAllThatIsKnown) {
  const extender::Decision decision{.time = policies::scheduling::kNow,
                                    .pod_namespace = "team",
                                    .pod_name = "train",
                                    .pod_uid = "1234",
                                    .node_resource_version = 41,
                                    .pod_resource_version = 43,
                                    .verb = extender::Verb::kPrioritize,
                                    .fitting = 7,
                                    .refused = {{"health", "node(s) had condition GPUIsLost", 2}},
                                    .top = {{"a100-1", 10, 9000}},
                                    .decided_by = "packing"};
  const v1::WatchDecisionsResponse message = Sent(ToMessage({decision, 3}));
  EXPECT_EQ(message.lost(), 3u);
  EXPECT_EQ(message.decision().time().seconds(),
            policies::scheduling::kNow.time_since_epoch().count());
  EXPECT_EQ(message.decision().pod_namespace(), "team");
  EXPECT_EQ(message.decision().pod_name(), "train");
  EXPECT_EQ(message.decision().pod_uid(), "1234");
  EXPECT_EQ(message.decision().node_resource_version(), 41u);
  EXPECT_EQ(message.decision().pod_resource_version(), 43u);
  EXPECT_EQ(message.decision().verb(), v1::Decision::VERB_PRIORITIZE);
  EXPECT_EQ(message.decision().fitting(), 7u);
  EXPECT_EQ(message.decision().refused(0).policy(), "health");
  EXPECT_EQ(message.decision().refused(0).reason(), "node(s) had condition GPUIsLost");
  EXPECT_EQ(message.decision().refused(0).nodes(), 2u);
  EXPECT_EQ(message.decision().top(0).name(), "a100-1");
  EXPECT_EQ(message.decision().top(0).rank(), 10);
  EXPECT_EQ(message.decision().top(0).score(), 9000u);
  EXPECT_EQ(message.decision().decided_by(), "packing");
}

// Kubernetes stores what kubelets sent; one odd node must not make the whole answer unreadable.
TEST(PlacementMessages, ConditionTypesThatAreNotUtf8AreSentAsFarAsTheyAre) {
  Explanation explanation;
  explanation.nodes.emplace_back().conditions = {{"Odd\xff", {}, {}, {}}, {"ノード", {}, {}, {}}};
  const Explanation received = FromMessage(Sent(ToMessage(explanation)));
  EXPECT_EQ(received.nodes.at(0).conditions.at(0).type, "Odd?");
  EXPECT_EQ(received.nodes.at(0).conditions.at(1).type, "ノード");
}

}  // namespace
}  // namespace berth::placement
