#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/admission/engine.h"
#include "policies/admission/wording.h"
#include "tests/unit/policies/admission/engine_fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(AdmissionEngineWordingTest, SaysOnceWhatSeveralTemplatesShareAndHowMuchItLeavesOut) {
  const auto engine = MakeEngine(Only<GuaranteedQosPolicy, IsolationPolicy>());
  std::vector<model::Workload> templates;
  for (std::size_t i = 0; i < kMaxWarnings + 2; ++i) {
    const std::string name = "worker-" + std::to_string(i);
    templates.push_back(MakeOwner("RayCluster", MakePod({MakeContainer(name)})));
  }
  const Outcome outcome = engine->PreviewPods(MakeRequest(), templates);
  ASSERT_THAT(outcome.warnings, SizeIs(kMaxWarnings));
  EXPECT_THAT(outcome.warnings, testing::Contains(HasSubstr("kept off")).Times(1));
  // 14 sizes and isolation, of which 11 are told.
  EXPECT_EQ(outcome.warnings.back(), "berth: and 4 more like this");
  ASSERT_THAT(outcome.effects, SizeIs(2));
  EXPECT_THAT(outcome.effects[0].text, HasSubstr("'worker-0' set to"));
  EXPECT_THAT(outcome.effects[0].text, HasSubstr("'worker-1' set to"));
  EXPECT_THAT(outcome.effects[0].text, SizeIs(testing::Le(kMaxEffectText)));
  EXPECT_EQ(
      outcome.effects[1].text,
      "kept off nodes with accelerators (berth.dev/accelerator DoesNotExist): it asks for none");
}

TEST(AdmissionEngineWordingTest, TellsWhatUsersWroteOnOneShortLine) {
  const auto engine = MakeEngine(Only<CreatorPolicy>());
  const model::Workload pod =
      Annotated(CpuPod(), "created-by", "b\no\rb\x01\u0085" + std::string(100'000, 'x'));
  const Outcome outcome = engine->Mutate(MakeRequest(), pod);
  ASSERT_THAT(outcome.warnings, SizeIs(1));
  EXPECT_THAT(outcome.warnings[0], SizeIs(kMaxWarning));
  EXPECT_THAT(outcome.warnings[0], HasSubstr("instead of 'b o b   xxx"));
  ASSERT_THAT(outcome.effects, SizeIs(1));
  EXPECT_THAT(outcome.effects[0].text, SizeIs(kMaxEffectText));
  EXPECT_THAT(outcome.effects[0].text, Not(HasSubstr("\n")));
}

/// How much is said of the objects, none of it cut, with the longest beginning that there is.
std::size_t UncutWarnings(const AdmissionEngine& engine,
                          const std::vector<model::Workload>& workloads) {
  std::size_t said = 0;
  for (const model::Workload& workload : workloads) {
    for (const std::string& warning : engine.PreviewPods(In(Mode::kWarn), {workload}).warnings) {
      EXPECT_THAT(warning, Not(testing::EndsWith("..."))) << warning;
      ++said;
    }
  }
  return said;
}

// On a CronJob, which has the longest path.
TEST(AdmissionEngineWordingTest, WhatItSaysOfOrdinaryPodsIsNotCut) {
  const auto engine = MakeEngine(Only<AcceleratorAffinityPolicy, AcceleratorMemoryPolicy,
                                      IsolationPolicy, CheckpointPolicy>());
  model::Workload misplaced = MakeOwner("CronJob", CpuPod());
  for (const char* name :
       {"accelerator-memory", "accelerators", "allow-accelerator-nodes", "checkpoint"}) {
    misplaced.annotations.emplace_back("berth.dev/" + std::string(name), "true");
  }
  model::Workload named = GpuPod();
  named = Annotated(Annotated(named, "accelerators", "A100,V100"), "checkpoint", "true");
  named = Annotated(named, "accelerator-memory", "32Gi");
  model::Workload allowed = Annotated(CpuPod(), "allow-accelerator-nodes", "true");
  allowed = Annotated(allowed, "accelerator-memory", "32Gi");
  EXPECT_EQ(UncutWarnings(*engine, {misplaced, MakeOwner("CronJob", named),
                                    MakeOwner("Deployment", named), MakeOwner("CronJob", allowed)}),
            13);
}

TEST(AdmissionEngineWordingTest, WhatItSaysOfOrdinarySizesIsNotCut) {
  std::vector<model::AcceleratorSpec> specs = model::AcceleratorCatalog::Defaults();
  // No model brings least of both, so that the resource is named, which is longer.
  specs[0].share.memory = Q("400Gi");
  const AdmissionEngine engine(std::make_shared<const model::AcceleratorCatalog>(
                                   model::AcceleratorCatalog::Make(std::move(specs)).value()),
                               "berth.dev", "1.2.3", Only<GuaranteedQosPolicy>());
  const std::string name = "train";
  const auto pod_of = [&name](const model::ResourceRequirements& resources) {
    return MakeOwner("CronJob", MakePod({MakeContainer(name, resources)}));
  };
  model::ResourceRequirements unequal = Resources({{"cpu", "1500m"}, {"memory", "128Mi"}});
  unequal.limits["memory"] = Q("80Gi");
  EXPECT_EQ(UncutWarnings(engine, {pod_of({}), pod_of(Resources({{kGpu, "8"}})), pod_of(unequal),
                                   Annotated(pod_of({}), "retryless", "true")}),
            5);
  EXPECT_THAT(engine.PreviewPods(In(Mode::kWarn), {pod_of(Resources({{kGpu, "8"}}))}).warnings,
              ElementsAre(HasSubstr("cores, ")));
  EXPECT_EQ(UncutWarnings(*MakeEngine(Only<GuaranteedQosPolicy>()),
                          {MakeOwner("CronJob",
                                     MakePod({MakeContainer("istio-proxy"),
                                              MakeContainer("train", Resources({{kGpu, "8"}}))}))}),
            2);
}

TEST(AdmissionEngineWordingTest, WhatItSaysOfOrdinaryRetriesIsNotCut) {
  AdmissionConfig config = Only<JobRetriesPolicy>();
  auto& retries = std::get<PolicySettings<JobRetriesPolicy>>(config.policies.all);
  retries.config.infrastructure_retries = 3;
  const auto engine = MakeEngine(config);
  std::size_t said = 0;
  for (const model::Workload& pod :
       {CpuPod(), GpuPod(),
        MakePod({MakeContainer("train", Resources({{"memory", "1Gi"}, {kGpu, "1"}}))})}) {
    model::Workload explicit_ = MakeOwner("CronJob", pod);
    explicit_.job->backoff_limit = 100;
    explicit_.pod.restart_policy = "OnFailure";
    model::Workload per_index = MakeOwner("CronJob", pod);
    per_index.job->backoff_limit_per_index = 100;
    per_index.job->failure_rules = {{.action = "Ignore",
                                     .exit_code_op = "In",
                                     .exit_codes = {137},
                                     .conditions = {},
                                     .written_at = 0},
                                    {.action = "Count",
                                     .exit_code_op = {},
                                     .exit_codes = {},
                                     .conditions = {"Ready"},
                                     .written_at = 1}};
    said += UncutWarnings(*engine, {explicit_, per_index});
  }
  EXPECT_EQ(said, 20);
}

TEST(AdmissionEngineWordingTest, WhatItSaysOfOtherRetriesIsNotCut) {
  const auto engine = MakeEngine(Only<JobRetriesPolicy>());
  const model::Workload cron = MakeOwner(
      "CronJob", MakePod({MakeContainer("train", Resources({{"memory", "1Gi"}, {kGpu, "1"}}))}));
  model::Workload restarting = Annotated(cron, "retries", "own");
  restarting.pod.containers[0].restart_policy = "OnFailure";
  restarting.pod.containers[0].restart_actions = {"Restart"};
  restarting.pod.containers[0].resize_restarts = {"RestartContainer"};
  restarting.job->backoff_limit = 0;
  model::Workload succeeding = cron;
  succeeding.annotations = {{"berth.dev/retries", "own"}};
  succeeding.job->has_success_policy = true;
  model::Workload ignoring = Annotated(cron, "retries", "mine");
  ignoring.job->backoff_limit_per_index = 0;
  model::Workload endless = cron;
  const model::FailureRule endlessly{.action = "Ignore", .conditions = {"DisruptionTarget"}};
  endless.job->failure_rules = std::vector{endlessly};
  EXPECT_EQ(UncutWarnings(*engine, {restarting, succeeding, ignoring, endless}), 14);
}

TEST(AdmissionEngineWordingTest, TenThousandContainersGetAFewWords) {
  std::vector<model::Container> containers;
  for (int i = 0; i < 10'000; ++i) {
    containers.push_back(MakeContainer("c" + std::to_string(i), Resources({{kGpu, "1"}})));
    containers.back().resources.requests["cpu"] = Q("2");
    containers.back().resources.limits["cpu"] = Q("1");
  }
  const auto engine = MakeEngine(AdmissionConfig());
  const model::Workload pod = Wrong(MakePod(std::move(containers)));
  for (const Mode mode : {Mode::kWarn, Mode::kEnforce}) {
    for (const Outcome& outcome :
         {engine->Mutate(In(mode), pod), engine->Validate(In(mode), pod, nullptr)}) {
      EXPECT_THAT(outcome.warnings, SizeIs(testing::Le(kMaxWarnings)));
      EXPECT_LT(outcome.denial.size(), 4096);
      EXPECT_EQ(outcome.denial.empty(), mode == Mode::kWarn);
      for (const PolicyEffect& effect : outcome.effects) {
        EXPECT_LE(effect.text.size(), kMaxEffectText) << effect.policy;
      }
    }
  }
  EXPECT_EQ(engine->Validate(MakeRequest(), pod, &pod).denial, "");
}

}  // namespace
}  // namespace berth::policies::admission
