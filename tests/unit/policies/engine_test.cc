#include "policies/scheduling/engine.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

using model::ConditionStatus;

const SchedulingEngine& DefaultEngine() {
  static const SchedulingEngine engine(Catalog(), "berth.dev", SchedulingConfig{});
  return engine;
}

model::NodeState Lost(model::NodeState node) {
  node.node.conditions.push_back({"GPUIsLost", ConditionStatus::kTrue, kNow, kNow});
  return node;
}

// A cluster with three models of GPUs, which thrift compares.
FixedView Pools() {
  return FixedView({GpuNode("v100", "Tesla-V100-SXM2-32GB"),
                    GpuNode("a100", "NVIDIA-A100-SXM4-40GB"), GpuNode("a30", "NVIDIA-A30")});
}

Judgement Judge(const model::Pod& pod, const model::NodeState& node) {
  return DefaultEngine().Prepare(pod, Pools(), kNow).Judge(node);
}

std::string TextOf(const Judgement& judgement) {
  return DefaultEngine().reasons()[judgement.reason].text;
}

TEST(SchedulingEngine, SumsWeightedScores) {
  // accelerator 3 x 1000 + health 4 x 1000 + thrift 2 x 800 + packing 2 x 63
  EXPECT_EQ(Judge(PodAskingFor(kGpu, 1), GpuNode("n", "NVIDIA-A30")).score, 8726u);
}

TEST(SchedulingEngine, WeightsComeFromTheConfiguration) {
  SchedulingConfig config;
  std::get<PolicySettings<PackingPolicy>>(config.policies.all).weight = 100;
  std::get<PolicySettings<HealthPolicy>>(config.policies.all).weight = 0;
  const SchedulingEngine engine(Catalog(), "berth.dev", config);
  const auto prepared = engine.Prepare(PodAskingFor(kGpu, 1), Pools(), kNow);
  EXPECT_EQ(prepared.Judge(GpuNode("n", "NVIDIA-A30")).score, 3u * 1000 + 2u * 800 + 100u * 63);
  EXPECT_FALSE(prepared.Judge(Lost(GpuNode("n", "NVIDIA-A30"))).fits);
}

TEST(SchedulingEngine, ReasonIsWhatThePodWantsBeforeTheStateOfTheNode) {
  const auto pod = PodAskingFor(kGpu, 1, {{"berth.dev/accelerators", "A100"}});
  EXPECT_EQ(TextOf(Judge(pod, Lost(GpuNode("n", "NVIDIA-A30")))),
            "node(s) had accelerator A30, not one the pod asks for");
  EXPECT_EQ(TextOf(Judge(pod, Lost(GpuNode("n", "NVIDIA-A100-SXM4-40GB")))),
            "node(s) had condition GPUIsLost");
}

// Pods of one shape share what is remembered of nodes.
TEST(SchedulingEngine, AnnotationsThatNoPolicyReadsMakeNoOtherShape) {
  const auto shape_of = [](model::StringMap annotations) {
    return DefaultEngine().ShapeOf(PodAskingFor(kGpu, 1, std::move(annotations)));
  };
  EXPECT_EQ(shape_of({{"berth.dev/nudged-at", "2027-01-15T08:00:00Z"}}), shape_of({}));
  EXPECT_NE(shape_of({{"berth.dev/accelerators", "A30"}}), shape_of({}));
}

TEST(SchedulingEngine, PodWithoutAcceleratorsIsNotItsBusiness) {
  const auto pod = PodAskingFor("cpu", 4000, {{"berth.dev/accelerators", "H900"}});
  EXPECT_TRUE(Judge(pod, Lost(GpuNode("n", "NVIDIA-A30"))).fits);
  EXPECT_TRUE(DefaultEngine().Prepare(pod, FixedView(), kNow).JudgeEach(GpuNode("n", "x")).empty());
}

TEST(SchedulingEngine, ZeroAcceleratorsAreNone) {
  EXPECT_TRUE(Judge(PodAskingFor(kGpu, 0), Lost(GpuNode("n", "NVIDIA-A30"))).fits);
}

TEST(SchedulingEngine, PodRefusedEverywhereIsRefusedByEveryNode) {
  const auto pod = PodAskingFor(kGpu, 1, {{"berth.dev/accelerators", "H900"}});
  const auto prepared = DefaultEngine().Prepare(pod, FixedView(), kNow);
  EXPECT_NE(prepared.refused_everywhere(), kNoReason);
  EXPECT_EQ(prepared.Judge(GpuNode("n", "NVIDIA-A30")).reason, prepared.refused_everywhere());
}

model::NodeState Quarantined(model::NodeState node) {
  node.quarantined = true;
  return node;
}

TEST(SchedulingEngine, ANodeInQuarantineIsRefusedWhateverWasKnownOfIt) {
  const auto prepared = DefaultEngine().Prepare(PodAskingFor(kGpu, 1), FixedView(), kNow);
  model::NodeState never_read;
  never_read.node.name = "n";
  for (const model::NodeState& node :
       {GpuNode("n", "NVIDIA-A30"), Lost(GpuNode("n", "NVIDIA-A30")), never_read}) {
    const DatedJudgement judgement = prepared.Judge(Quarantined(node));
    EXPECT_FALSE(judgement.fits);
    EXPECT_EQ(judgement.reason, DefaultEngine().unreadable_node());
    EXPECT_EQ(judgement.score, 0U);
    EXPECT_EQ(judgement.valid_until, model::kForever);
    const std::vector<PolicyVerdict> verdicts = prepared.JudgeEach(Quarantined(node));
    ASSERT_FALSE(verdicts.empty());
    EXPECT_EQ(verdicts[0].verdict.reason, DefaultEngine().unreadable_node());
    EXPECT_FALSE(verdicts[0].verdict.fits);
  }
  EXPECT_EQ(TextOf(prepared.Judge(Quarantined(never_read))), "node(s) could not be read by Berth");
}

TEST(SchedulingEngine, APodThatIsNotItsBusinessMayGoToANodeInQuarantine) {
  const auto prepared = DefaultEngine().Prepare(PodAskingFor("cpu", 4000), FixedView(), kNow);
  const model::NodeState node = Quarantined(GpuNode("n", "NVIDIA-A30"));
  EXPECT_TRUE(prepared.Judge(node).fits);
  EXPECT_TRUE(prepared.JudgeEach(node).empty());
}

TEST(SchedulingEngine, NothingItRefusesIsCurableByPreemption) {
  for (std::size_t id = 1; id < DefaultEngine().reasons().size(); ++id) {
    const Reason& reason = DefaultEngine().reasons()[static_cast<ReasonId>(id)];
    EXPECT_FALSE(reason.curable_by_preemption) << reason.text;
    EXPECT_FALSE(reason.text.empty());
    EXPECT_FALSE(reason.summary.empty());
  }
}

TEST(SchedulingConfig, DefaultsAreValid) { EXPECT_TRUE(Validate(SchedulingConfig{}).empty()); }

TEST(SchedulingConfig, ErrorsHavePathsFromTheTop) {
  SchedulingConfig config;
  auto& health = std::get<PolicySettings<HealthPolicy>>(config.policies.all);
  health.weight = -1;
  health.config.stale_after = model::Duration{-1};
  std::get<PolicySettings<PackingPolicy>>(config.policies.all).weight = 101;
  std::vector<std::string> paths;
  for (const auto& error : Validate(config)) paths.push_back(error.path);
  EXPECT_EQ(paths,
            (std::vector<std::string>{"scheduling.policies.health.weight", "health.staleAfter",
                                      "scheduling.policies.packing.weight"}));
}

}  // namespace
}  // namespace berth::policies::scheduling
