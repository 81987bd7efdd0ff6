#include "placement/placement_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <absl/strings/ascii.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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

// Whether a message says all that its value does.

template <typename Message, typename Value>
bool SaysAll(const google::protobuf::RepeatedPtrField<Message>& messages,
             const std::vector<Value>& values);

bool Says(const v1::DeviceRequest& said, const model::Resources::Entry& is) {
  return std::pair(said.resource(), said.devices()) == is;
}

bool Says(const v1::RefusedGroup& said, const RefusedGroup& is) {
  return std::tuple(said.nodes(), said.policy(), said.reason(), said.summary(),
                    TimeOf(said.oldest()), TimeOf(said.newest())) ==
         std::tie(is.count, is.policy, is.reason, is.summary, is.oldest, is.newest);
}

bool Says(const v1::DeviceCount& said, const DeviceCount& is) {
  return std::tuple(said.resource(), said.requested(), said.listed(), said.capacity(),
                    said.allocatable(), said.used()) ==
         std::tie(is.resource, is.requested, is.listed, is.capacity, is.allocatable, is.used);
}

bool Says(const v1::PolicyOpinion& said, const PolicyOpinion& is) {
  return std::tuple(said.policy(), said.observed(), said.fits(), said.score(), said.last(),
                    said.weight(), said.reason(), said.summary(), TimeOf(said.since())) ==
         std::tie(is.policy, is.observed, is.fits, is.score, is.last, is.weight, is.reason,
                  is.summary, is.since);
}

bool Says(const v1::Condition& said, const model::Condition& is) {
  const auto status = said.status() == v1::Condition::STATUS_TRUE ? model::ConditionStatus::kTrue
                      : said.status() == v1::Condition::STATUS_FALSE
                          ? model::ConditionStatus::kFalse
                          : model::ConditionStatus::kUnknown;
  return model::Condition{said.type(), status, TimeOf(said.last_transition()),
                          TimeOf(said.last_heartbeat())} == is;
}

bool Says(const v1::NodeExplanation& said, const NodeExplanation& is) {
  return std::tuple(said.name(), said.fits(), said.rank(), said.score(), said.last(),
                    said.accelerator(), said.reason(), said.summary(), TimeOf(said.since())) ==
             std::tie(is.name, is.fits, is.rank, is.score, is.last, is.accelerator, is.reason,
                      is.summary, is.since) &&
         SaysAll(said.devices(), is.devices) && SaysAll(said.policies(), is.policies) &&
         SaysAll(said.conditions(), is.conditions);
}

bool Says(const v1::DeviceTotals& said, const DeviceTotals& is) {
  return std::tuple(said.nodes(), said.total(), said.used(), said.free()) ==
         std::tie(is.nodes, is.total, is.used, is.free);
}

bool Says(const v1::ExcludedCapacity& said, const ExcludedCapacity& is) {
  return std::tuple(said.reason(), said.summary()) == std::tie(is.reason, is.summary) &&
         Says(said.devices(), is.devices);
}

bool Says(const v1::UnrecognisedCapacity& said, const UnrecognisedCapacity& is) {
  return said.resource() == is.resource && Says(said.devices(), is.devices);
}

bool Says(const v1::AcceleratorCapacity& said, const AcceleratorCapacity& is) {
  return std::tuple(said.accelerator(), said.resource()) == std::tie(is.accelerator, is.resource) &&
         Says(said.devices(), is.devices) && SaysAll(said.excluded(), is.excluded);
}

template <typename Message, typename Value>
bool SaysAll(const google::protobuf::RepeatedPtrField<Message>& messages,
             const std::vector<Value>& values) {
  return std::equal(messages.begin(), messages.end(), values.begin(), values.end(),
                    [](const Message& said, const Value& is) { return Says(said, is); });
}

TEST(PlacementMessages, ExplanationsSayAllThatIsKnown) {
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
    const v1::ExplainResponse message = Sent(ToMessage(explanation));
    EXPECT_EQ(TimeOf(message.time()), explanation.now);
    EXPECT_TRUE(SaysAll(message.requests(), explanation.requests)) << seed;
    EXPECT_EQ(message.refused_everywhere(), explanation.refused_everywhere);
    EXPECT_EQ(message.fitting(), explanation.fitting);
    EXPECT_EQ(message.not_shortlisted(), explanation.not_shortlisted);
    EXPECT_TRUE(SaysAll(message.refused(), explanation.groups)) << seed;
    EXPECT_THAT(message.hints(), testing::ElementsAreArray(explanation.hints));
    EXPECT_TRUE(SaysAll(message.nodes(), explanation.nodes)) << seed;
  }
}

TEST(PlacementMessages, CapacitiesSayAllThatIsKnown) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    extender::ExtenderUnderTest berth(World(seed).nodes);
    berth.snapshot.QuarantineNode({.kind = "Node", .name = "odd", .error = "breaks off"});
    const Capacity capacity =
        CountCapacity(berth.snapshot.Read(), *berth.engine, policies::scheduling::kNow);
    ASSERT_FALSE(capacity.hints.empty());
    const v1::CapacityResponse message = Sent(ToMessage(capacity));
    EXPECT_EQ(TimeOf(message.time()), capacity.time);
    EXPECT_TRUE(SaysAll(message.accelerators(), capacity.accelerators)) << seed;
    EXPECT_TRUE(SaysAll(message.unrecognised(), capacity.unrecognised)) << seed;
    EXPECT_THAT(message.hints(), testing::ElementsAreArray(capacity.hints));
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

std::string NameOfState(planner::GangPhase phase) {
  return v1::Gang::State_Name(Sent(ToMessage({{.phase = phase}}, "")).gangs(0).state());
}

std::string NameOfEvent(planner::GangEvent event) {
  return v1::GangChange::Event_Name(Sent(ToMessage({{.event = event}, 0})).change().event());
}

TEST(PlacementMessages, StatesAndEventsOfGangsAreCalledAsEverywhere) {
  for (std::size_t i = 0; i < planner::kGangPhases; ++i) {
    const auto phase = static_cast<planner::GangPhase>(i);
    EXPECT_EQ(absl::AsciiStrToLower(NameOfState(phase)), "state_" + std::string(NameOf(phase)));
  }
  for (std::size_t i = 0; i < planner::kGangEvents; ++i) {
    const auto event = static_cast<planner::GangEvent>(i);
    EXPECT_EQ(absl::AsciiStrToLower(NameOfEvent(event)), "event_" + std::string(NameOf(event)));
  }
}

TEST(PlacementMessages, GangsSayAllThatIsKnown) {
  const planner::GangOutlook gang{.namespace_ = "ml",
                                  .name = "train",
                                  .phase = planner::GangPhase::kReleased,
                                  .size = 16,
                                  .waiting = 4,
                                  .running = 12,
                                  .reason = "4 of 16 pods are not bound yet",
                                  .priority = -5,
                                  .created = policies::scheduling::kNow - std::chrono::seconds(90),
                                  .since = policies::scheduling::kNow,
                                  .spans = {{"rack", 2}}};
  const v1::ListGangsResponse message = Sent(ToMessage({gang, {.namespace_ = "team"}}, "ml"));
  ASSERT_EQ(message.gangs_size(), 1);
  const v1::Gang& said = message.gangs(0);
  EXPECT_EQ(
      std::tuple(said.namespace_(), said.name(), said.size(), said.waiting(), said.running(),
                 said.reason(), said.priority(), TimeOf(said.created()), TimeOf(said.since())),
      std::tie(gang.namespace_, gang.name, gang.size, gang.waiting, gang.running, gang.reason,
               gang.priority, gang.created, gang.since));
  ASSERT_EQ(said.spans_size(), 1);
  EXPECT_EQ(said.spans(0).label(), "rack");
  EXPECT_EQ(said.spans(0).domains(), 2u);
}

TEST(PlacementMessages, ChangesOfGangsSayAllThatIsKnown) {
  const planner::GangChange change{.namespace_ = "ml",
                                   .name = "train",
                                   .size = 16,
                                   .event = planner::GangEvent::kLeft,
                                   .time = policies::scheduling::kNow,
                                   .reason = "odd\xff",
                                   .created = policies::scheduling::kNow - std::chrono::seconds(90),
                                   .spans = {{"rack", 2}},
                                   .running = 15};
  const v1::WatchGangsResponse message = Sent(ToMessage({change, 3}));
  const v1::GangChange& said = message.change();
  EXPECT_EQ(message.lost(), 3u);
  EXPECT_EQ(std::tuple(said.namespace_(), said.name(), said.size(), said.running(),
                       TimeOf(said.time()), TimeOf(said.created())),
            std::tie(change.namespace_, change.name, change.size, change.running, change.time,
                     change.created));
  EXPECT_EQ(said.reason(), "odd?");
  EXPECT_EQ(said.spans(0).domains(), 2u);
}

// Kubernetes stores what kubelets sent; one odd node must not make the whole answer unreadable.
TEST(PlacementMessages, ConditionTypesThatAreNotUtf8AreSentAsFarAsTheyAre) {
  Explanation explanation;
  explanation.nodes.emplace_back().conditions = {{"Odd\xff", {}, {}, {}}, {"ノード", {}, {}, {}}};
  const v1::ExplainResponse received = Sent(ToMessage(explanation));
  EXPECT_EQ(received.nodes(0).conditions(0).type(), "Odd?");
  EXPECT_EQ(received.nodes(0).conditions(1).type(), "ノード");
}

TEST(PlacementMessages, KeepHoldings) {
  const std::vector<usage::Holding> holdings = {
      {"nlp", "bert", "alice", "n1", "A100", "nvidia.com/gpu", 4, policies::scheduling::kNow},
      {"vision", "old", "", "", "", "nvidia.com/gpu", 1, model::kNoTime}};
  const v1::HoldingsResponse message =
      Sent(ToMessage(holdings, policies::scheduling::kNow, {"pod odd cannot be read"}));
  EXPECT_EQ(HoldingsIn(message), holdings);
  EXPECT_EQ(TimeOf(message.time()), policies::scheduling::kNow);
  EXPECT_EQ(message.hints(0), "pod odd cannot be read");
}

TEST(PlacementMessages, AreUtf8WhoeverCreatedThePod) {
  const v1::HoldingsResponse message =
      ToMessage({{"nlp", "bert", "al\xffice", "n1", "A100", "nvidia.com/gpu", 4, model::kNoTime}},
                policies::scheduling::kNow, {});
  EXPECT_EQ(Sent(message).holdings(0).creator(), "al?ice");
}

}  // namespace
}  // namespace berth::placement
