// What a condition that turned False a moment ago costs: beside a detector that was restarted, and
// beside a fault that Berth has seen.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "policies/scheduling/engine.h"
#include "policies/scheduling/health.h"
#include "policies/scheduling/health_profiles.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

using model::ConditionStatus;
using model::Duration;
using model::NodeState;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr char kA100[] = "NVIDIA-A100-SXM4-40GB";

/// As a detector leaves a node that says False of everything when it starts.
NodeState Restarted(NodeState node, Duration ago = minutes(1)) {
  for (const HealthCondition& condition : AllConditions({})) {
    node.node.conditions.push_back(
        {condition.type, ConditionStatus::kFalse, kNow - ago, kNow - ago});
  }
  return node;
}

NodeState Using(NodeState node, std::int64_t devices) {
  node.used.Set(kGpu, devices);
  return node;
}

std::uint32_t ScoreOf(const NodeState& node, const model::Pod& pod) {
  static const SchedulingEngine engine(Catalog(), "berth.dev", SchedulingConfig{});
  // Thrift compares these models.
  const FixedView view(
      {node, GpuNode("v", kV100), GpuNode("a", kA100), GpuNode("b", "NVIDIA-A30")});
  return engine.Prepare(pod, view, kNow).Judge(node).score;
}

TEST(Recovery, OfARestartedDetectorDoesNotTurnThriftRound) {
  const model::Pod pod = PodAskingFor(kGpu, 1);
  EXPECT_GT(ScoreOf(Restarted(GpuNode("v", kV100)), pod), ScoreOf(GpuNode("a", kA100, 4), pod));
}

TEST(Recovery, OfARestartedDetectorDoesNotTurnPackingRound) {
  const model::Pod pod = PodAskingFor(kGpu, 1);
  EXPECT_GT(ScoreOf(Restarted(Using(GpuNode("started", kV100), 2)), pod),
            ScoreOf(Using(GpuNode("less", kV100), 1), pod));
}

TEST(Recovery, DecidesBetweenEqualNodes) {
  const model::Pod pod = PodAskingFor(kGpu, 1);
  EXPECT_LT(ScoreOf(Restarted(GpuNode("a", kV100)), pod), ScoreOf(GpuNode("b", kV100), pod));
  EXPECT_EQ(ScoreOf(Restarted(GpuNode("a", kV100), minutes(10)), pod),
            ScoreOf(GpuNode("b", kV100), pod))
      << "recovered";
}

/// Nodes of up to `devices`, in every state of use.
std::vector<NodeState> EveryNode(std::int64_t devices) {
  std::vector<NodeState> nodes;
  for (const char* product : {kV100, kA100, "NVIDIA-A30"}) {
    for (std::int64_t of = 1; of <= devices; ++of) {
      for (std::int64_t used = 0; used <= of; ++used) {
        nodes.push_back(Using(GpuNode("n", product, of), used));
      }
    }
  }
  return nodes;
}

// Of more devices packing's steps are too small for any score to fit between.
constexpr std::int64_t kMostDevices = 13;

TEST(Recovery, TurnsNoTwoNodesRoundThatThriftOrPackingTellsApart) {
  const std::vector<NodeState> nodes = EveryNode(kMostDevices);
  const NodeState& any = nodes.front();
  for (std::int64_t devices = 1; devices <= kMostDevices; ++devices) {
    const model::Pod pod = PodAskingFor(kGpu, devices);
    const std::uint32_t cost = ScoreOf(any, pod) - ScoreOf(Restarted(any), pod);
    ASSERT_GT(cost, 0U);
    std::vector<std::uint32_t> scores;
    for (const NodeState& node : nodes) scores.push_back(ScoreOf(node, pod));
    std::sort(scores.begin(), scores.end());
    for (std::size_t i = 1; i < scores.size(); ++i) {
      const std::uint32_t step = scores[i] - scores[i - 1];
      ASSERT_TRUE(step == 0 || step > cost) << devices << " devices, a step of " << step;
    }
  }
}

struct RecoveryCase {
  std::string name;
  /// How long before now the condition turned False, and for how long it had been True before.
  Duration turned_false;
  Duration seen_true;
  std::uint16_t score;
  model::Time valid_until;
  Duration min_duration{0};
  std::string type = "GPUIsLost";
};

class RecoveryTable : public testing::TestWithParam<RecoveryCase> {};

constexpr std::uint16_t kLittle = HealthPolicy::kRecoveringScore;

// Of a condition that was False again as of two minutes ago, with a recovery of ten.
TEST_P(RecoveryTable, Judges) {
  const RecoveryCase& c = GetParam();
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {{"GPUIsLost", Effect::kExclude, c.min_duration, minutes(10), {}}};
  NodeState node = GpuNode("n", kV100);
  node.node.conditions = {{"GPUIsLost", ConditionStatus::kFalse, kNow - minutes(2), kNow}};
  node.past = {{"Other", model::kNoTime, kNow},
               {c.type, kNow - c.turned_false - c.seen_true, kNow - c.turned_false}};
  ReasonTable reasons;
  const std::string prefix = "berth.dev";
  const HealthPolicy policy({*Catalog(), prefix, reasons}, config);
  const auto prepared = policy.Prepare(PodAskingFor(kGpu, 1), FixedView(), kNow);
  const Verdict verdict = std::get<std::unique_ptr<NodeEvaluator>>(prepared)->Evaluate(node);
  EXPECT_TRUE(verdict.fits);
  EXPECT_EQ(verdict.score, c.score);
  EXPECT_EQ(verdict.valid_until, c.valid_until);
  EXPECT_EQ(reasons[verdict.reason].text,
            c.score == 0 ? "node(s) had condition GPUIsLost until recently"
                         : "node(s) had condition GPUIsLost that turned False recently");
}

INSTANTIATE_TEST_SUITE_P(
    All, RecoveryTable,
    testing::Values(
        RecoveryCase{"SeenTrueForHours", minutes(2), hours(3), 0, kNow + minutes(8)},
        RecoveryCase{"SeenTrueForAMinute", minutes(2), minutes(1), 0, kNow + minutes(8)},
        RecoveryCase{"SeenTrueForLess", minutes(2), seconds(59), kLittle, kNow + minutes(8)},
        RecoveryCase{"SeenTrueForItsMinDuration", minutes(2), minutes(5), 0, kNow + minutes(8),
                     minutes(5)},
        RecoveryCase{"SeenTrueForLessThanItsMinDuration", minutes(2), seconds(299), kLittle,
                     kNow + minutes(8), minutes(5)},
        // The detector was restarted since, which is no news of the fault.
        RecoveryCase{"SeenTrueBeforeARestart", minutes(6), hours(3), 0, kNow + minutes(4)},
        RecoveryCase{"SeenTrueLongBeforeARestart", minutes(10), hours(3), kLittle,
                     kNow + minutes(8)},
        RecoveryCase{"AnotherWasSeenTrue", minutes(2), hours(3), kLittle, kNow + minutes(8),
                     Duration{0}, "GPURuntimeError"}),
    [](const auto& param) { return param.param.name; });

TEST(Recovery, OfAFaultThatWasSeenForLongLeavesTheNodeTheLastChoice) {
  const model::Pod pod = PodAskingFor(kGpu, 1);
  NodeState repaired = Restarted(Using(GpuNode("v", kV100), 2));
  repaired.past = {{"GPUIsLost", kNow - hours(3), kNow - minutes(2)}};
  for (const NodeState& node : {GpuNode("empty", kV100), Using(GpuNode("a", kA100, 4), 1)}) {
    EXPECT_LT(ScoreOf(repaired, pod), ScoreOf(Restarted(node), pod));
  }
}

TEST(Recovery, OfSeveralConditionsCostsAsMuchAsOfOne) {
  const model::Pod pod = PodAskingFor(kGpu, 1);
  NodeState one = GpuNode("n", kV100);
  one.node.conditions = {{"GPUIsLost", ConditionStatus::kFalse, kNow - minutes(1), kNow}};
  EXPECT_EQ(ScoreOf(one, pod), ScoreOf(Restarted(GpuNode("n", kV100)), pod));
}

}  // namespace
}  // namespace berth::policies::scheduling
