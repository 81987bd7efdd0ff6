#include "policies/scheduling/health.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

using model::Condition;
using model::ConditionStatus;
using model::Duration;
using std::chrono::hours;
using std::chrono::minutes;

constexpr std::string_view kGpuLost = "node(s) had condition GPUIsLost";
constexpr std::string_view kTurnedFalse =
    "node(s) had condition GPUIsLost that turned False recently";
constexpr std::string_view kMissing = "node(s) had fewer accelerators allocatable than installed";

struct Result {
  Verdict verdict;
  std::string reason;
};

Result JudgeAs(const HealthConfig& config, const model::NodeState& node,
               const model::Pod& pod = PodAskingFor(kGpu, 1)) {
  ReasonTable reasons;
  const std::string prefix = "berth.dev";
  const HealthPolicy policy({*Catalog(), prefix, reasons}, config);
  auto prepared = policy.Prepare(pod, FixedView(), kNow);
  const auto& evaluator = std::get<std::unique_ptr<NodeEvaluator>>(prepared);
  const Verdict verdict = evaluator->Evaluate(node);
  return {verdict, reasons[verdict.reason].text};
}

model::NodeState NodeWithConditions(std::vector<Condition> conditions) {
  model::NodeState node = GpuNode("n", "NVIDIA-A30");
  node.node.conditions = std::move(conditions);
  return node;
}

struct HealthCase {
  std::string name;
  std::vector<HealthCondition> rules;
  std::vector<Condition> conditions;
  bool fits = true;
  std::uint16_t score = kMaxScore;
  std::string reason;
  model::Time valid_until = model::kForever;
  Effect unknown_status = Effect::kPenalize;
  Duration stale_after{0};
  // What Berth remembers of the node.
  std::vector<model::PastStatus> past;
};

class HealthTable : public testing::TestWithParam<HealthCase> {};

TEST_P(HealthTable, JudgesNode) {
  const HealthCase& c = GetParam();
  HealthConfig config;
  config.profiles.clear();
  config.conditions = c.rules;
  config.unknown_status = c.unknown_status;
  config.stale_after = c.stale_after;
  model::NodeState node = NodeWithConditions(c.conditions);
  node.past = c.past;
  const Result result = JudgeAs(config, node);
  EXPECT_EQ(result.verdict.fits, c.fits);
  EXPECT_EQ(result.verdict.score, c.score);
  EXPECT_EQ(result.reason, c.reason);
  EXPECT_EQ(result.verdict.valid_until, c.valid_until);
}

const HealthCondition kExcludeLost{"GPUIsLost", Effect::kExclude, Duration{0}, minutes(10), {}};
const HealthCondition kPenalizeLost{"GPUIsLost", Effect::kPenalize, Duration{0}, Duration{0}, {}};
const HealthCondition kPatientLost{"GPUIsLost", Effect::kExclude, minutes(5), Duration{0}, {}};
const HealthCondition kLongPatientLost{"GPUIsLost", Effect::kExclude, minutes(30), Duration{0}, {}};

Condition LostFor(ConditionStatus status, Duration ago, Duration heartbeat_ago = Duration{0}) {
  return {"GPUIsLost", status, kNow - ago, kNow - heartbeat_ago};
}

// What Berth remembers of a condition that was True for so long, and became Unknown an hour ago.
model::PastStatus WasLostFor(Duration duration) {
  return {.type = "GPUIsLost",
          .since = kNow - hours(1) - duration,
          .until = kNow - hours(1),
          .lasts = true};
}

INSTANTIATE_TEST_SUITE_P(
    Conditions, HealthTable,
    testing::Values(
        HealthCase{.name = "NoConditions", .rules = {kExcludeLost}},
        HealthCase{.name = "TypeThatNobodyConfigured",
                   .rules = {kExcludeLost},
                   .conditions = {{"Unheard", ConditionStatus::kTrue, kNow, kNow}}},
        HealthCase{.name = "TrueExcludes",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, hours(3))},
                   .fits = false,
                   .score = 0,
                   .reason = std::string(kGpuLost)},
        HealthCase{.name = "TruePenalizes",
                   .rules = {kPenalizeLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, hours(3))},
                   .score = 0,
                   .reason = std::string(kGpuLost)},
        HealthCase{.name = "TrueInTheFutureExcludesNow",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, -hours(1))},
                   .fits = false,
                   .score = 0,
                   .reason = std::string(kGpuLost)},
        HealthCase{.name = "TrueInTheFutureWaitsForItsMinDuration",
                   .rules = {kPatientLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, -hours(1))},
                   .valid_until = kNow + hours(1) + minutes(5)},
        HealthCase{.name = "FalseInTheFutureStillCosts",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kFalse, -hours(1))},
                   .score = HealthPolicy::kRecoveringScore,
                   .reason = std::string(kTurnedFalse),
                   .valid_until = kNow + hours(1) + minutes(10)},
        HealthCase{.name = "TrueAtTheEndOfTimeWaitsForEver",
                   .rules = {kPatientLost},
                   .conditions = {{"GPUIsLost", ConditionStatus::kTrue, model::kForever, kNow}}},
        HealthCase{.name = "FalseLongAgo",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kFalse, minutes(10))}},
        HealthCase{.name = "FalseRecentlyStillCosts",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kFalse, minutes(4))},
                   .score = HealthPolicy::kRecoveringScore,
                   .reason = std::string(kTurnedFalse),
                   .valid_until = kNow + minutes(6)},
        HealthCase{.name = "FalseRecentlyWithoutRecovery",
                   .rules = {kPenalizeLost},
                   .conditions = {LostFor(ConditionStatus::kFalse, minutes(4))}},
        HealthCase{.name = "FalseSinceNobodyKnowsWhen",
                   .rules = {kExcludeLost},
                   .conditions = {{"GPUIsLost", ConditionStatus::kFalse, model::kNoTime, kNow}}},
        HealthCase{.name = "TrueForLessThanMinDuration",
                   .rules = {kPatientLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, minutes(4))},
                   .valid_until = kNow + minutes(1)},
        HealthCase{.name = "TrueForMinDuration",
                   .rules = {kPatientLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, minutes(5))},
                   .fits = false,
                   .score = 0,
                   .reason = std::string(kGpuLost)},
        HealthCase{.name = "TrueSinceNobodyKnowsWhenHasLastedLongEnough",
                   .rules = {kPatientLost},
                   .conditions = {{"GPUIsLost", ConditionStatus::kTrue, model::kNoTime, kNow}},
                   .fits = false,
                   .score = 0,
                   .reason = std::string(kGpuLost)},
        HealthCase{.name = "WorstEffectOfSeveralConditions",
                   .rules = {{"PCIeLinkDegraded", Effect::kPenalize, {}, {}, {}}, kExcludeLost},
                   .conditions = {{"PCIeLinkDegraded", ConditionStatus::kTrue, kNow, kNow},
                                  LostFor(ConditionStatus::kTrue, hours(1))},
                   .fits = false,
                   .score = 0,
                   .reason = std::string(kGpuLost)},
        HealthCase{.name = "WorstEffectOfSeveralEntriesOfOneType",
                   .rules = {kPenalizeLost, kPatientLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, minutes(4))},
                   .score = 0,
                   .reason = std::string(kGpuLost),
                   .valid_until = kNow + minutes(1)}),
    [](const auto& param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(
    UnknownAndStale, HealthTable,
    testing::Values(
        HealthCase{.name = "UnknownPenalizes",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kUnknown, hours(1))},
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost of status Unknown"},
        HealthCase{.name = "UnknownExcludes",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kUnknown, hours(1))},
                   .fits = false,
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost of status Unknown",
                   .unknown_status = Effect::kExclude},
        HealthCase{.name = "UnknownIsNeverWorseThanTrue",
                   .rules = {kPenalizeLost},
                   .conditions = {LostFor(ConditionStatus::kUnknown, hours(1))},
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost of status Unknown",
                   .unknown_status = Effect::kExclude},
        HealthCase{.name = "UnknownIgnored",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kUnknown, hours(1))},
                   .unknown_status = Effect::kIgnore},
        HealthCase{.name = "UnknownThatWasTrueKeepsItsEffect",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kUnknown, hours(1))},
                   .fits = false,
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost that was True and is Unknown",
                   .past = {WasLostFor(minutes(1))}},
        HealthCase{.name = "UnknownThatWasTrueSinceNobodyKnowsWhenKeepsItsEffect",
                   .rules = {kExcludeLost},
                   .conditions = {{"GPUIsLost", ConditionStatus::kUnknown, model::kNoTime, kNow}},
                   .fits = false,
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost that was True and is Unknown",
                   .past = {{.type = "GPUIsLost", .lasts = true}}},
        HealthCase{.name = "UnknownThatWasTrueTellsSoWhereUnknownDoesTheSame",
                   .rules = {kPenalizeLost},
                   .conditions = {LostFor(ConditionStatus::kUnknown, hours(1))},
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost that was True and is Unknown",
                   .past = {WasLostFor(hours(3))}},
        HealthCase{.name = "UnknownThatWasTrueForAMoment",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kUnknown, hours(1))},
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost of status Unknown",
                   .past = {WasLostFor(std::chrono::seconds(59))}},
        HealthCase{.name = "UnknownThatWasTrueForLessThanItsMinDuration",
                   .rules = {kPatientLost},
                   .conditions = {LostFor(ConditionStatus::kUnknown, hours(1))},
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost of status Unknown",
                   .past = {WasLostFor(minutes(4))}},
        // Its detector may have died of the very fault.
        HealthCase{.name = "StaleTrueKeepsItsEffect",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, hours(1), minutes(16))},
                   .fits = false,
                   .score = 0,
                   .reason = std::string(kGpuLost),
                   .stale_after = minutes(15)},
        HealthCase{.name = "StaleTrueTellsSoWhereUnknownDoesTheSame",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, hours(1), minutes(16))},
                   .fits = false,
                   .score = 0,
                   .reason = std::string(kGpuLost),
                   .unknown_status = Effect::kExclude,
                   .stale_after = minutes(15)},
        HealthCase{.name = "StaleTrueKeepsItsEffectWhereUnknownIsIgnored",
                   .rules = {kPenalizeLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, hours(1), minutes(16))},
                   .score = 0,
                   .reason = std::string(kGpuLost),
                   .unknown_status = Effect::kIgnore,
                   .stale_after = minutes(15)},
        // Time goes on, whether or not somebody looks.
        HealthCase{.name = "StaleTrueReachesItsMinDuration",
                   .rules = {kLongPatientLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, minutes(30), minutes(28))},
                   .fits = false,
                   .score = 0,
                   .reason = std::string(kGpuLost),
                   .stale_after = minutes(15)},
        HealthCase{.name = "StaleTrueBeforeItsMinDurationIsUnknown",
                   .rules = {kLongPatientLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, minutes(20), minutes(18))},
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost of status Unknown",
                   .valid_until = kNow + minutes(10),
                   .stale_after = minutes(15)},
        HealthCase{.name = "FreshTrueBeforeItsMinDurationUntilStale",
                   .rules = {kLongPatientLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, minutes(20), minutes(15))},
                   .valid_until = kNow + std::chrono::seconds(1),
                   .stale_after = minutes(15)},
        HealthCase{.name = "FreshTrueExcludesForGood",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kTrue, hours(1), minutes(15))},
                   .fits = false,
                   .score = 0,
                   .reason = std::string(kGpuLost),
                   .stale_after = minutes(15)},
        HealthCase{.name = "FreshFalseUntilStale",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kFalse, hours(1), minutes(15))},
                   .valid_until = kNow + std::chrono::seconds(1),
                   .stale_after = minutes(15)},
        HealthCase{.name = "HeartbeatInTheFutureIsFresh",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kFalse, hours(1), -hours(1))},
                   .valid_until = kNow + hours(1) + minutes(15) + std::chrono::seconds(1),
                   .stale_after = minutes(15)},
        HealthCase{.name = "StaleFalseIsUnknown",
                   .rules = {kExcludeLost},
                   .conditions = {LostFor(ConditionStatus::kFalse, hours(9), minutes(16))},
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost of status Unknown",
                   .stale_after = minutes(15)},
        HealthCase{.name = "NoHeartbeatIsNotStale",
                   .rules = {kExcludeLost},
                   .conditions = {{"GPUIsLost", ConditionStatus::kTrue, kNow, model::kNoTime}},
                   .fits = false,
                   .score = 0,
                   .reason = std::string(kGpuLost),
                   .stale_after = minutes(15)}),
    [](const auto& param) { return param.param.name; });

const HealthCondition kHardwareReady{.type = "AcceleratedHardwareReady",
                                     .effect = Effect::kExclude,
                                     .recovery = minutes(10),
                                     .bad_status = BadStatus::kFalse};

Condition Hardware(ConditionStatus status, Duration ago, Duration heartbeat_ago = Duration{0}) {
  return {"AcceleratedHardwareReady", status, kNow - ago, kNow - heartbeat_ago};
}

HealthCondition With(HealthCondition entry, std::optional<Duration> stale_after) {
  entry.stale_after = stale_after;
  return entry;
}

INSTANTIATE_TEST_SUITE_P(
    BadWhenFalse, HealthTable,
    testing::Values(
        HealthCase{.name = "TrueIsWell",
                   .rules = {kHardwareReady},
                   .conditions = {Hardware(ConditionStatus::kTrue, hours(3))}},
        HealthCase{.name = "FalseExcludes",
                   .rules = {kHardwareReady},
                   .conditions = {Hardware(ConditionStatus::kFalse, hours(3))},
                   .fits = false,
                   .score = 0,
                   .reason = "node(s) had condition AcceleratedHardwareReady of status False"},
        HealthCase{.name = "UnknownIsUnknown",
                   .rules = {kHardwareReady},
                   .conditions = {Hardware(ConditionStatus::kUnknown, hours(3))},
                   .score = 0,
                   .reason = "node(s) had condition AcceleratedHardwareReady of status Unknown"},
        HealthCase{
            .name = "UnknownThatWasFalseKeepsItsEffect",
            .rules = {kHardwareReady},
            .conditions = {Hardware(ConditionStatus::kUnknown, hours(1))},
            .fits = false,
            .score = 0,
            .reason =
                "node(s) had condition AcceleratedHardwareReady that was False and is Unknown",
            .past = {{.type = "AcceleratedHardwareReady",
                      .since = kNow - hours(3),
                      .until = kNow - hours(1),
                      .status = ConditionStatus::kFalse,
                      .lasts = true}}},
        HealthCase{.name = "UnknownThatWasTrueIsUnknown",
                   .rules = {kHardwareReady},
                   .conditions = {Hardware(ConditionStatus::kUnknown, hours(1))},
                   .score = 0,
                   .reason = "node(s) had condition AcceleratedHardwareReady of status Unknown",
                   .past = {{.type = "AcceleratedHardwareReady",
                             .since = kNow - hours(3),
                             .until = kNow - hours(1),
                             .lasts = true}}},
        HealthCase{
            .name = "TrueRecentlyStillCosts",
            .rules = {kHardwareReady},
            .conditions = {Hardware(ConditionStatus::kTrue, minutes(4))},
            .score = HealthPolicy::kRecoveringScore,
            .reason = "node(s) had condition AcceleratedHardwareReady that turned True recently",
            .valid_until = kNow + minutes(6)},
        HealthCase{.name = "SeenFalseForLong",
                   .rules = {kHardwareReady},
                   .conditions = {Hardware(ConditionStatus::kTrue, minutes(4))},
                   .score = 0,
                   .reason = "node(s) had condition AcceleratedHardwareReady of status False until "
                             "recently",
                   .valid_until = kNow + minutes(6),
                   .past = {{"AcceleratedHardwareReady", kNow - hours(3), kNow - minutes(4),
                             ConditionStatus::kFalse}}},
        HealthCase{
            .name = "SeenTrueForLongIsNoFault",
            .rules = {kHardwareReady},
            .conditions = {Hardware(ConditionStatus::kTrue, minutes(4))},
            .score = HealthPolicy::kRecoveringScore,
            .reason = "node(s) had condition AcceleratedHardwareReady that turned True recently",
            .valid_until = kNow + minutes(6),
            .past = {{"AcceleratedHardwareReady", kNow - hours(3), kNow - minutes(4)}}},
        HealthCase{.name = "StaleFalseKeepsItsEffect",
                   .rules = {kHardwareReady},
                   .conditions = {Hardware(ConditionStatus::kFalse, hours(3), hours(2))},
                   .fits = false,
                   .score = 0,
                   .reason = "node(s) had condition AcceleratedHardwareReady of status False",
                   .stale_after = minutes(15)},
        HealthCase{.name = "StaleTrueIsUnknown",
                   .rules = {kHardwareReady},
                   .conditions = {Hardware(ConditionStatus::kTrue, hours(3), hours(2))},
                   .score = 0,
                   .reason = "node(s) had condition AcceleratedHardwareReady of status Unknown",
                   .stale_after = minutes(15)},
        HealthCase{.name = "BesideOneThatIsBadWhenTrue",
                   .rules = {kExcludeLost, kHardwareReady},
                   .conditions = {LostFor(ConditionStatus::kFalse, hours(3)),
                                  Hardware(ConditionStatus::kFalse, hours(3))},
                   .fits = false,
                   .score = 0,
                   .reason = "node(s) had condition AcceleratedHardwareReady of status False"}),
    [](const auto& param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(
    StaleByItsOwnMeasure, HealthTable,
    testing::Values(
        HealthCase{.name = "EarlierThanAll",
                   .rules = {With(kExcludeLost, minutes(5))},
                   .conditions = {LostFor(ConditionStatus::kFalse, hours(1), minutes(6))},
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost of status Unknown",
                   .stale_after = minutes(15)},
        HealthCase{.name = "LaterThanAll",
                   .rules = {With(kExcludeLost, hours(1))},
                   .conditions = {LostFor(ConditionStatus::kFalse, hours(1), minutes(20))},
                   .valid_until = kNow + minutes(40) + std::chrono::seconds(1),
                   .stale_after = minutes(15)},
        // As of a detector that does not repeat itself.
        HealthCase{.name = "NeverWhereOthersAre",
                   .rules = {With(kExcludeLost, Duration{0})},
                   .conditions = {LostFor(ConditionStatus::kFalse, hours(99), hours(99))},
                   .stale_after = minutes(15)},
        HealthCase{.name = "WhereOthersNeverAre",
                   .rules = {With(kExcludeLost, minutes(5))},
                   .conditions = {LostFor(ConditionStatus::kFalse, hours(1), minutes(6))},
                   .score = 0,
                   .reason = "node(s) had condition GPUIsLost of status Unknown"}),
    [](const auto& param) { return param.param.name; });

TEST(HealthPolicy, EntriesWithResourcesHoldOnlyForPodsThatAskForThem) {
  const model::NodeState node =
      NodeWithConditions({{"NICLinkDown", ConditionStatus::kTrue, kNow, kNow}});
  model::Pod with_rdma = PodAskingFor(kGpu, 1);
  with_rdma.requests.Set("rdma/hca_a", 1);
  model::Pod with_zero_rdma = PodAskingFor(kGpu, 1);
  with_zero_rdma.requests.Set("rdma/hca_a", 0);

  EXPECT_FALSE(JudgeAs({}, node, with_rdma).verdict.fits);
  EXPECT_TRUE(JudgeAs({}, node, with_zero_rdma).verdict.fits);
  const Result plain = JudgeAs({}, node);
  EXPECT_TRUE(plain.verdict.fits);
  EXPECT_EQ(plain.verdict.score, 0);
}

TEST(HealthPolicy, TellsSinceWhen) {
  const auto since = kNow - hours(3);
  const Result result =
      JudgeAs({}, NodeWithConditions({LostFor(ConditionStatus::kTrue, hours(3))}));
  EXPECT_EQ(result.verdict.since, since);
}

struct DevicesCase {
  std::string name;
  std::string_view resource;
  std::int64_t capacity;
  std::int64_t allocatable;
  model::StringMap labels;
  bool penalized;
};

class HealthDevices : public testing::TestWithParam<DevicesCase> {};

TEST_P(HealthDevices, PenalizesMissingOnes) {
  const DevicesCase& c = GetParam();
  model::NodeState node = NodeWith("n", c.resource, c.capacity, c.labels);
  node.node.allocatable.Set(c.resource, c.allocatable);
  const Result result = JudgeAs({}, node, PodAskingFor(c.resource, 1));
  EXPECT_TRUE(result.verdict.fits);
  EXPECT_EQ(result.verdict.score, c.penalized ? 0 : kMaxScore);
  EXPECT_EQ(result.reason, c.penalized ? kMissing : "");
}

INSTANTIATE_TEST_SUITE_P(
    All, HealthDevices,
    testing::Values(
        DevicesCase{"AllThere", kGpu, 8, 8, {{"nvidia.com/gpu.count", "8"}}, false},
        DevicesCase{"AllocatableBelowCapacity", kGpu, 8, 7, {}, true},
        DevicesCase{"OtherResourceToo", kMnCore, 4, 3, {}, true},
        DevicesCase{"BelowCountLabel", kGpu, 7, 7, {{"nvidia.com/gpu.count", "8"}}, true},
        DevicesCase{"CountLabelIsNoNumber", kGpu, 7, 7, {{"nvidia.com/gpu.count", "8x"}}, false},
        DevicesCase{"CountLabelSaysNothingOfOtherResources",
                    kMnCore,
                    3,
                    3,
                    {{"nvidia.com/gpu.count", "8"}},
                    false},
        DevicesCase{"OneReplicaIsNoSharing",
                    kGpu,
                    7,
                    7,
                    {{"nvidia.com/gpu.count", "8"}, {"nvidia.com/gpu.replicas", "1"}},
                    true},
        DevicesCase{"SharedGpusCountDifferently",
                    kGpu,
                    4,
                    4,
                    {{"nvidia.com/gpu.count", "8"}, {"nvidia.com/gpu.replicas", "4"}},
                    false},
        DevicesCase{"MigNoneCounts",
                    kGpu,
                    7,
                    7,
                    {{"nvidia.com/gpu.count", "8"}, {"nvidia.com/mig.strategy", "none"}},
                    true},
        DevicesCase{"MigSlicesCountDifferently",
                    kGpu,
                    7,
                    7,
                    {{"nvidia.com/gpu.count", "8"}, {"nvidia.com/mig.strategy", "single"}},
                    false}),
    [](const auto& param) { return param.param.name; });

TEST(HealthPolicy, NodeThatServesTheResourceByOtherMeansHasLostNothing) {
  model::NodeState node;  // DRA: labels, but no such extended resource
  node.gpu.count = 8;
  EXPECT_EQ(JudgeAs({}, node).verdict.score, kMaxScore);
}

TEST(CountNodesByCondition, TellsRecoveringNodesFromPenalisedOnes) {
  model::NodeState was_lost = NodeWithConditions({LostFor(ConditionStatus::kFalse, minutes(4))});
  was_lost.past = {{"GPUIsLost", kNow - hours(3), kNow - minutes(4)}};
  const FixedView view(
      {was_lost, NodeWithConditions({LostFor(ConditionStatus::kFalse, minutes(4))})});
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {kExcludeLost};
  const auto counts = CountNodesByCondition(config, view, kNow);
  EXPECT_EQ(counts[0].excluded, 0u);
  EXPECT_EQ(counts[0].penalized, 1u);
  EXPECT_EQ(counts[0].recovering, 1u);
}

TEST(CountNodesByCondition, CountsEachEntryOfATypeApart) {
  const Condition nic_down{"NICLinkDown", ConditionStatus::kTrue, kNow, kNow};
  const FixedView view(
      {NodeWithConditions({LostFor(ConditionStatus::kTrue, hours(1))}),
       NodeWithConditions({LostFor(ConditionStatus::kUnknown, hours(1)), nic_down}),
       NodeWithConditions({LostFor(ConditionStatus::kFalse, hours(1))})});
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {kExcludeLost,
                       {"NICLinkDown", Effect::kExclude, {}, {}, {"rdma/*"}},
                       {"NICLinkDown", Effect::kPenalize, {}, {}, {}}};

  const auto counts = CountNodesByCondition(config, view, kNow);

  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[0].condition.type, "GPUIsLost");
  EXPECT_EQ(counts[0].excluded, 1u);
  EXPECT_EQ(counts[0].penalized, 1u);
  EXPECT_EQ(counts[1].excluded, 1u);
  EXPECT_EQ(counts[1].penalized, 0u);
  EXPECT_EQ(counts[2].excluded, 0u);
  EXPECT_EQ(counts[2].penalized, 1u);
}

TEST(CountNodesByCondition, CountsByDigestsWhatTheConditionsSay) {
  const Condition ready{"Ready", ConditionStatus::kTrue, kNow, kNow};
  const std::vector<std::vector<Condition>> conditions = {
      {ready, LostFor(ConditionStatus::kFalse, hours(1))},
      {ready, LostFor(ConditionStatus::kFalse, minutes(1))},  // recovering
      {ready, LostFor(ConditionStatus::kTrue, hours(1))},
      {ready, LostFor(ConditionStatus::kUnknown, hours(1))},
      {ready}};
  std::vector<model::NodeState> nodes;
  for (const auto& each : conditions) {
    nodes.push_back(NodeWithConditions(each));
    nodes.back().digest = model::DigestOf(each);
  }
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {kExcludeLost};
  const auto counts = CountNodesByCondition(config, FixedView(nodes), kNow);
  EXPECT_EQ(counts[0].excluded, 1u);
  EXPECT_EQ(counts[0].penalized, 1u);
  EXPECT_EQ(counts[0].recovering, 1u);
}

struct GlobCase {
  std::string pattern;
  std::string resource;
  bool applies;
};

TEST(HealthPolicy, ResourcesAreShellPatternsOfWholeNames) {
  const GlobCase cases[] = {
      {"rdma/*", "rdma/hca_a", true},         {"rdma/*", "rdma/", true},
      {"rdma/*", "nordma/hca", false},        {"*/hca*", "rdma/hca_b", true},
      {"rdma/hca_?", "rdma/hca_a", true},     {"rdma/hca_?", "rdma/hca", false},
      {"rdma/hca_[ab]", "rdma/hca_c", false}, {"rdma", "rdma/hca", false},
      {"rdma/hca[", "rdma/hca", false}};
  const model::NodeState node =
      NodeWithConditions({{"NICLinkDown", ConditionStatus::kTrue, kNow, kNow}});
  for (const GlobCase& c : cases) {
    HealthConfig config;
    config.profiles.clear();
    config.conditions = {{"NICLinkDown", Effect::kExclude, {}, {}, {c.pattern}}};
    model::Pod pod = PodAskingFor(kGpu, 1);
    pod.requests.Set(c.resource, 1);
    EXPECT_EQ(JudgeAs(config, node, pod).verdict.fits, !c.applies)
        << c.pattern << ' ' << c.resource;
  }
}

// One bad condition among many, wherever it stands.
TEST(HealthPolicy, FindsTheWorstOf500Conditions) {
  for (const std::size_t position : {0u, 250u, 499u}) {
    std::vector<Condition> conditions;
    for (int i = 0; i < 500; ++i) {
      conditions.push_back({"Type" + std::to_string(i), ConditionStatus::kTrue, kNow, kNow});
    }
    conditions[position] = LostFor(ConditionStatus::kTrue, hours(1));
    const Result result = JudgeAs({}, NodeWithConditions(std::move(conditions)));
    EXPECT_FALSE(result.verdict.fits);
    EXPECT_EQ(result.reason, kGpuLost);
  }
}

// A type may stand on a node twice, and a label's value is not always 63 bytes where nobody checks.
TEST(HealthPolicy, OddNodesAreJudgedLikeOthers) {
  model::NodeState node = NodeWithConditions(
      {LostFor(ConditionStatus::kFalse, hours(1)), LostFor(ConditionStatus::kTrue, hours(1))});
  node.node.labels.emplace_back("nvidia.com/gpu.zzz", std::string(64 << 10, '9'));
  node.node.labels.emplace_back("nvidia.com/gpu.count", std::string(64 << 10, '9'));
  model::Normalize(node.node.labels);
  node.gpu = model::ReadGpuLabels(node.node.labels);
  EXPECT_FALSE(JudgeAs({}, node).verdict.fits);
  node.node.conditions.clear();
  EXPECT_EQ(JudgeAs({}, node).verdict.score, kMaxScore);
}

TEST(CountNodesByCondition, CountsByDigestsWhatIsBadWhenFalse) {
  const Condition pressure{"MemoryPressure", ConditionStatus::kFalse, kNow - hours(9), kNow};
  std::vector<model::NodeState> nodes;
  for (const auto& condition : {Hardware(ConditionStatus::kTrue, hours(1)),
                                Hardware(ConditionStatus::kTrue, minutes(1)),  // recovering
                                Hardware(ConditionStatus::kFalse, hours(1)),
                                Hardware(ConditionStatus::kUnknown, hours(1))}) {
    nodes.push_back(NodeWithConditions({pressure, condition}));
    nodes.back().digest = model::DigestOf(nodes.back().node.conditions);
  }
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {kHardwareReady};
  const auto counts = CountNodesByCondition(config, FixedView(nodes), kNow);
  EXPECT_EQ(counts[0].excluded, 1u);
  EXPECT_EQ(counts[0].penalized, 1u);
  EXPECT_EQ(counts[0].recovering, 1u);
  EXPECT_TRUE(Excludes(kHardwareReady, config, nodes[2], kNow));
  EXPECT_FALSE(Excludes(kHardwareReady, config, nodes[0], kNow));
}

}  // namespace
}  // namespace berth::policies::scheduling
