// A policy in Observe changes no answer, and tells what it would change.

#include <gtest/gtest.h>

#include <string>

#include "policies/scheduling/engine.h"
#include "tests/unit/policies/fixtures.h"
#include "tests/unit/policies/world.h"

namespace berth::policies::scheduling {
namespace {

constexpr std::uint32_t kModeRounds = 200;

template <typename Policy>
PolicySettings<Policy>& SettingsIn(SchedulingConfig& config) {
  return std::get<PolicySettings<Policy>>(config.policies.all);
}

template <typename Policy>
SchedulingConfig Observing(std::int32_t weight = Policy::kDefaultWeight) {
  SchedulingConfig config;
  SettingsIn<Policy>(config).mode = Mode::kObserve;
  SettingsIn<Policy>(config).weight = weight;
  return config;
}

const PolicyVerdict* VerdictOf(std::string_view policy,
                               const std::vector<PolicyVerdict>& verdicts) {
  for (const PolicyVerdict& verdict : verdicts) {
    if (verdict.policy == policy) return &verdict;
  }
  return nullptr;
}

// Engines that differ in one policy's mode or weight.
template <typename Policy>
class Modes : public testing::Test {
 protected:
  const SchedulingEngine enforcing_{Catalog(), "berth.dev", SchedulingConfig{}};
  const SchedulingEngine observing_{Catalog(), "berth.dev", Observing<Policy>()};
  const SchedulingEngine heavy_{Catalog(), "berth.dev", Observing<Policy>(kMaxWeight)};
};

template <typename List>
struct TypesIn;
template <typename... Policies>
struct TypesIn<PolicyList<Policies...>> {
  using Types = testing::Types<Policies...>;
};
TYPED_TEST_SUITE(Modes, TypesIn<AllPolicies>::Types);

TYPED_TEST(Modes, ObserveTellsExactlyWhatEnforcingWouldRefuse) {
  for (std::uint32_t seed = 0; seed < kModeRounds; ++seed) {
    const World world(seed);
    const FixedView view(world.nodes);
    const PreparedPod enforced = this->enforcing_.Prepare(world.pod, view, kNow);
    const PreparedPod observed = this->observing_.Prepare(world.pod, view, kNow);
    for (const auto& node : world.nodes) {
      const Judgement strict = enforced.Judge(node);
      const Judgement lenient = observed.Judge(node);
      ASSERT_EQ(strict.would_refuse, kNoReason);
      ASSERT_EQ(strict.fits, lenient.fits && lenient.would_refuse == kNoReason) << "seed " << seed;
      if (strict.fits || !lenient.fits) continue;
      ASSERT_EQ(this->observing_.reasons()[lenient.would_refuse].policy, TypeParam::kName);
      ASSERT_EQ(this->observing_.reasons()[lenient.would_refuse].text,
                this->enforcing_.reasons()[strict.reason].text);
    }
  }
}

TYPED_TEST(Modes, WhatIsObservedHasNoPartInTheScore) {
  for (std::uint32_t seed = 0; seed < kModeRounds; ++seed) {
    const World world(seed);
    const FixedView view(world.nodes);
    const PreparedPod enforced = this->enforcing_.Prepare(world.pod, view, kNow);
    const PreparedPod observed = this->observing_.Prepare(world.pod, view, kNow);
    const PreparedPod heavy = this->heavy_.Prepare(world.pod, view, kNow);
    for (const auto& node : world.nodes) {
      const std::uint32_t score = observed.Judge(node).score;
      ASSERT_EQ(heavy.Judge(node).score, score) << "seed " << seed;
      const Judgement strict = enforced.Judge(node);
      if (!strict.fits) continue;
      const auto verdicts = observed.JudgeEach(node);
      const PolicyVerdict* own = VerdictOf(TypeParam::kName, verdicts);
      const std::uint32_t part =
          own == nullptr ? 0u : static_cast<std::uint32_t>(own->weight) * own->verdict.score;
      ASSERT_EQ(score + part, strict.score) << "seed " << seed;
    }
  }
}

TYPED_TEST(Modes, EveryVerdictTellsItsMode) {
  const World world(1);
  const auto verdicts =
      this->observing_.Prepare(PodAskingFor(kGpu, 1), FixedView(world.nodes), kNow)
          .JudgeEach(GpuNode("n", "NVIDIA-A30"));
  for (const PolicyVerdict& verdict : verdicts) {
    EXPECT_EQ(verdict.mode, verdict.policy == TypeParam::kName ? Mode::kObserve : Mode::kEnforce)
        << verdict.policy;
  }
}

Judgement JudgeWith(const SchedulingConfig& config, const model::Pod& pod,
                    const model::NodeState& node, std::string* would_refuse) {
  const SchedulingEngine engine(Catalog(), "berth.dev", config);
  const PreparedPod prepared = engine.Prepare(pod, FixedView({node}), kNow);
  EXPECT_EQ(prepared.refused_everywhere(), kNoReason);
  const Judgement judgement = prepared.Judge(node);
  *would_refuse = engine.reasons()[judgement.would_refuse].text;
  return judgement;
}

TEST(Observe, PodThatWouldBeRefusedEverywhereIsOnlyNoted) {
  std::string would_refuse;
  const auto pod = PodAskingFor(kGpu, 1, {{"berth.dev/accelerators", "H900"}});
  const Judgement judgement =
      JudgeWith(Observing<AcceleratorPolicy>(), pod, GpuNode("n", "NVIDIA-A30"), &would_refuse);
  EXPECT_TRUE(judgement.fits);
  EXPECT_EQ(would_refuse,
            "pod annotation berth.dev/accelerators names a model that Berth's catalogue lacks");
}

TEST(Observe, OfSeveralTheFirstOfTheListIsTold) {
  SchedulingConfig config = Observing<AcceleratorPolicy>();
  SettingsIn<HealthPolicy>(config).mode = Mode::kObserve;
  model::NodeState node = GpuNode("n", "NVIDIA-A30");
  node.node.conditions.push_back({"GPUIsLost", model::ConditionStatus::kTrue, kNow, kNow});
  std::string would_refuse;
  EXPECT_TRUE(JudgeWith(config, PodAskingFor(kGpu, 1), node, &would_refuse).fits);
  EXPECT_EQ(would_refuse, "node(s) had condition GPUIsLost");
  const auto pod = PodAskingFor(kGpu, 1, {{"berth.dev/accelerators", "A100"}});
  EXPECT_TRUE(JudgeWith(config, pod, node, &would_refuse).fits);
  EXPECT_EQ(would_refuse, "node(s) had accelerator A30, not one the pod asks for");
}

}  // namespace
}  // namespace berth::policies::scheduling
