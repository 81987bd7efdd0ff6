// What must hold for every pod and every Job, tried on seeded random ones with all policies on.

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/annotation.h"
#include "policies/admission/engine.h"
#include "policies/admission/wording.h"
#include "tests/unit/policies/admission/engine_fixtures.h"
#include "tests/unit/policies/admission/random_workload.h"

namespace berth::policies::admission {
namespace {

constexpr std::uint32_t kEngineRounds = 4000;

/// A review: what is asked, of what, under which settings.
struct Review {
  std::uint32_t seed;
  const AdmissionEngine& engine;
  Request request;
  model::Workload workload;
};

AdmissionConfig WithScheduler() {
  AdmissionConfig config;
  std::get<PolicySettings<SchedulerNamePolicy>>(config.policies.all).config.name =
      "berth-scheduler";
  return config;
}

AdmissionConfig WithObjectStore() {
  AdmissionConfig config = WithScheduler();
  auto& checkpoint = std::get<PolicySettings<CheckpointPolicy>>(config.policies.all).config;
  checkpoint.target = CheckpointTarget::kObjectStore;
  checkpoint.uri = "s3://bucket/prefix";
  return config;
}

AdmissionConfig Strict() {
  AdmissionConfig config;
  auto& qos = std::get<PolicySettings<GuaranteedQosPolicy>>(config.policies.all).config;
  qos.missing_limits = MissingLimits::kDeny;
  qos.cpu = CpuRule::kLower;
  std::get<PolicySettings<JobRetriesPolicy>>(config.policies.all).config.infrastructure_retries = 3;
  return config;
}

AdmissionConfig WithGangs() {
  AdmissionConfig config;
  auto& gangs = std::get<PolicySettings<GangsPolicy>>(config.policies.all);
  gangs.mode = Mode::kEnforce;
  gangs.config.kinds = {"batch/Job", "Pod"};
  return config;
}

AdmissionConfig Lenient() {
  AdmissionConfig config;
  auto& qos = std::get<PolicySettings<GuaranteedQosPolicy>>(config.policies.all).config;
  qos.missing_limits = MissingLimits::kAllowRetryless;
  return config;
}

const std::vector<std::unique_ptr<const AdmissionEngine>>& Engines() {
  static const auto engines = [] {
    std::vector<std::unique_ptr<const AdmissionEngine>> all;
    for (const AdmissionConfig& config : {AdmissionConfig(), WithScheduler(), WithObjectStore(),
                                          Strict(), WithGangs(), Lenient()}) {
      all.push_back(MakeEngine(config));
    }
    return all;
  }();
  return engines;
}

// Whether it may go without limits: only under the last of the settings, and with a mark.
bool IsRetryless(const Review& review, const model::Workload& workload) {
  return &review.engine == Engines().back().get() &&
         model::Find(workload.pod.annotations, "berth.dev/retryless") == "true";
}

void ForEachReview(Mode mode, const std::function<void(const Review&)>& check) {
  for (std::uint32_t seed = 0; seed < kEngineRounds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWorkload random(seed);
    const Request request = random.Request(mode);
    const auto& engine = *Engines()[seed % Engines().size()];
    check({.seed = seed, .engine = engine, .request = request, .workload = random.Next()});
  }
}

Outcome Mutate(const Review& review) {
  return review.engine.Mutate(review.request, review.workload);
}

// Kubernetes' rule, as in ComputePodQOS (k8s.io/kubernetes/pkg/apis/core/v1/helper/qos/qos.go).
bool IsGuaranteed(const model::PodTemplate& pod) {
  std::vector<model::ResourceRequirements> all;
  for (const model::Container& container : pod.containers) all.push_back(container.resources);
  if (pod.resources) all = {*pod.resources};
  return std::ranges::all_of(all, [](const model::ResourceRequirements& resources) {
    return std::ranges::all_of(
        std::vector<std::string>{"cpu", "memory"}, [&](const std::string& name) {
          return IsSet(resources.limits, name) && IsSet(resources.requests, name) &&
                 resources.requests.at(name) == resources.limits.at(name);
        });
  });
}

TEST(AdmissionProperties, WhatIsEnforcedIsLeftAloneWhenItIsSeenAgain) {
  std::size_t accepted = 0;
  ForEachReview(Mode::kEnforce, [&](const Review& review) {
    const Outcome first = Mutate(review);
    if (!first.denial.empty()) return;
    ++accepted;
    const Outcome second = review.engine.Mutate(review.request, first.workload);
    ASSERT_EQ(second.denial, "");
    ASSERT_TRUE(second.workload == first.workload);
    for (const PolicyEffect& effect : second.effects) ASSERT_FALSE(effect.changed) << effect.policy;
  });
  EXPECT_GT(accepted, kEngineRounds / 5);
}

TEST(AdmissionProperties, WhatIsEnforcedIsGuaranteedOrDenied) {
  ForEachReview(Mode::kEnforce, [](const Review& review) {
    const Outcome outcome = Mutate(review);
    ASSERT_TRUE(!outcome.denial.empty() || IsGuaranteed(outcome.workload.pod) ||
                IsRetryless(review, outcome.workload));
  });
}

// The API server asks again when a later webhook has changed the pod (reinvocationPolicy IfNeeded).
TEST(AdmissionProperties, AContainerThatAnotherWebhookAddsIsGuaranteedToo) {
  std::size_t accepted = 0;
  ForEachReview(Mode::kEnforce, [&](const Review& review) {
    const Outcome first = Mutate(review);
    if (!first.denial.empty() || !first.workload.is_pod()) return;
    model::Workload injected = first.workload;
    injected.pod.containers.push_back(MakeContainer("injected"));
    injected.pod.containers.back().index = first.workload.pod.containers.back().index + 1;
    const Outcome second = review.engine.Mutate(review.request, injected);
    if (!second.denial.empty()) return;
    ++accepted;
    ASSERT_TRUE(IsGuaranteed(second.workload.pod) || IsRetryless(review, second.workload));
    ASSERT_TRUE(review.engine.Mutate(review.request, second.workload).workload == second.workload);
  });
  EXPECT_GT(accepted, kEngineRounds / 10);
}

bool HasMemoryLimits(const model::PodTemplate& pod) {
  if (pod.resources && IsSet(pod.resources->limits, "memory")) return true;
  return std::ranges::all_of(pod.containers, [](const model::Container& container) {
    return IsSet(container.resources.limits, "memory");
  });
}

// The kubelet kills it for its neighbours' sake, and the Job controller sends it to the next node.
TEST(AdmissionProperties, AJobWithoutMemoryLimitsRunsOnce) {
  std::size_t unlimited = 0;
  ForEachReview(Mode::kEnforce, [&](const Review& review) {
    const Outcome outcome = Mutate(review);
    const auto& job = outcome.workload.job;
    if (!outcome.denial.empty() || !job || !job->managed_by.empty()) return;
    if (HasMemoryLimits(outcome.workload.pod)) return;
    ++unlimited;
    ASSERT_EQ(job->backoff_limit_per_index.value_or(job->backoff_limit), 0);
    ASSERT_EQ(outcome.workload.pod.restart_policy, "Never");
    if (!job->failure_rules) return;
    ASSERT_TRUE(std::ranges::none_of(*job->failure_rules,
                                     [](const auto& rule) { return rule.action == "Ignore"; }));
  });
  EXPECT_GT(unlimited, 20);
}

// What validateJobSpec in k8s.io/kubernetes/pkg/apis/batch/validation/validation.go and
// validateResizePolicy in pkg/apis/core/validation/validation.go (v1.36.3) require of a Job that
// was in order before.
bool IsTakenByKubernetes(const model::Workload& job) {
  const bool never = job.pod.restart_policy == "Never";
  if (job.job->failure_rules && (!never || job.job->pod_replacement_policy != "Failed")) {
    return false;
  }
  if (job.job->failure_rules && job.job->failure_rules->size() > 20) return false;
  return std::ranges::all_of(job.pod.containers, [never](const model::Container& container) {
    if (!container.restart_actions.empty() && container.restart_policy.empty()) return false;
    return !never || std::ranges::find(container.resize_restarts, "RestartContainer") ==
                         container.resize_restarts.end();
  });
}

TEST(AdmissionProperties, AJobThatKubernetesTakesStaysOne) {
  std::size_t taken = 0;
  ForEachReview(Mode::kEnforce, [&](const Review& review) {
    const Outcome outcome = Mutate(review);
    if (!outcome.denial.empty() || !review.workload.job) return;
    if (!IsTakenByKubernetes(review.workload)) return;
    ++taken;
    ASSERT_TRUE(IsTakenByKubernetes(outcome.workload));
  });
  EXPECT_GT(taken, 200);
}

const std::string kConfigIssue = "ConfigIssue";

// Where the policy holds, nothing is tried again but what was disrupted, a number of
// times.
TEST(AdmissionProperties, AJobWithMemoryLimitsIsRetriedOnlyAfterDisruptions) {
  std::size_t limited = 0;
  ForEachReview(Mode::kEnforce, [&](const Review& review) {
    const Outcome outcome = Mutate(review);
    const auto& job = outcome.workload.job;
    if (!outcome.denial.empty() || !job || !job->managed_by.empty()) return;
    const auto applied = model::Find(outcome.workload.annotations, "berth.dev/applied");
    if (applied.value_or("").find("job-retries") == std::string_view::npos) return;
    ++limited;
    const auto rules = job->failure_rules.value_or(std::vector<model::FailureRule>());
    const bool ends = std::ranges::any_of(rules, [](const auto& rule) {
      return rule.action.starts_with("Fail") && rule.exit_code_op == "NotIn";
    });
    ASSERT_TRUE(ends || job->backoff_limit_per_index.value_or(job->backoff_limit) == 0);
    for (const model::FailureRule& rule : rules) {
      ASSERT_TRUE(rule.action != "Ignore" || rule.conditions == std::vector{kConfigIssue} ||
                  job->queued);
    }
  });
  EXPECT_GT(limited, 100);
}

TEST(AdmissionProperties, WhatIsEnforcedIsValid) {
  ForEachReview(Mode::kEnforce, [](const Review& review) {
    const Outcome outcome = Mutate(review);
    if (!outcome.denial.empty()) return;
    ASSERT_EQ(review.engine.Validate(review.request, outcome.workload, nullptr).denial, "");
  });
}

TEST(AdmissionProperties, WhatIsDeniedStaysAsItWasAndSaysWhatToWrite) {
  std::size_t denied = 0;
  ForEachReview(Mode::kEnforce, [&](const Review& review) {
    const Outcome outcome = Mutate(review);
    if (outcome.denial.empty()) return;
    ++denied;
    ASSERT_TRUE(outcome.workload == review.workload);
    ASSERT_NE(outcome.denial.find("; "), std::string::npos) << outcome.denial;
    ASSERT_TRUE(std::ranges::any_of(outcome.effects, &PolicyEffect::denied));
  });
  EXPECT_GT(denied, kEngineRounds / 20);
}

TEST(AdmissionProperties, AnUnchangedUpdateIsNeverDenied) {
  ForEachReview(Mode::kEnforce, [](const Review& review) {
    Request request = review.request;
    request.operation = Operation::kUpdate;
    ASSERT_EQ(review.engine.Validate(request, review.workload, &review.workload).denial, "");
  });
}

std::set<std::string_view> Where(const std::vector<PolicyEffect>& effects,
                                 bool PolicyEffect::*is_so) {
  std::set<std::string_view> policies;
  for (const PolicyEffect& effect : effects) {
    if (effect.*is_so) policies.insert(effect.policy);
  }
  return policies;
}

TEST(AdmissionProperties, WarnChangesNothingAndForetellsWhatEnforceDoes) {
  ForEachReview(Mode::kWarn, [](const Review& review) {
    const Outcome warned = Mutate(review);
    ASSERT_EQ(warned.denial, "");
    ASSERT_TRUE(warned.workload == review.workload);
    Request request = review.request;
    request.mode = Mode::kEnforce;
    const Outcome enforced = review.engine.Mutate(request, review.workload);
    const bool denied = !enforced.denial.empty();
    const auto did =
        Where(enforced.effects, denied ? &PolicyEffect::denied : &PolicyEffect::changed);
    const auto would = Where(warned.effects, &PolicyEffect::would);
    ASSERT_TRUE(std::ranges::includes(would, did));
    ASSERT_TRUE(denied || would == did);
  });
}

TEST(AdmissionProperties, OffIsSilent) {
  ForEachReview(Mode::kOff, [](const Review& review) {
    const Outcome mutated = Mutate(review);
    ASSERT_TRUE(mutated.workload == review.workload);
    for (const Outcome& outcome :
         {mutated, review.engine.Validate(review.request, review.workload, nullptr)}) {
      ASSERT_TRUE(outcome.warnings.empty() && outcome.denial.empty() && outcome.effects.empty());
    }
  });
}

TEST(AdmissionProperties, WarningsFitKubectl) {
  for (const Mode mode : {Mode::kWarn, Mode::kEnforce}) {
    ForEachReview(mode, [](const Review& review) {
      const Outcome outcome = Mutate(review);
      ASSERT_LE(outcome.warnings.size(), kMaxWarnings);
      for (const std::string& warning : outcome.warnings) {
        ASSERT_LE(warning.size(), kMaxForetold);
        ASSERT_TRUE(warning.starts_with("berth"));
        ASSERT_EQ(warning, OneLine(warning, kMaxForetold));
      }
    });
  }
}

TEST(AdmissionProperties, TemplatesAreNeverChangedOrDeniedUnlessTheyNameAnotherCreatorOrAGang) {
  ForEachReview(Mode::kEnforce, [](const Review& review) {
    model::Workload made = review.workload;
    made.kind = made.job ? "CronJob" : "Deployment";
    const Outcome stored = review.engine.PreviewPods(review.request, {made}, {made});
    ASSERT_EQ(stored.denial, "");
    std::erase_if(made.pod.annotations, [](const auto& entry) {
      return entry.first.ends_with("/" + std::string(model::kCreatedByAnnotation.name)) ||
             entry.first.starts_with("berth.dev/gang");
    });
    const Outcome outcome = review.engine.PreviewPods(review.request, {made});
    ASSERT_EQ(outcome.denial, "");
    for (const PolicyEffect& effect : outcome.effects) {
      ASSERT_FALSE(effect.changed || effect.denied) << effect.policy;
    }
  });
}

// The list of what may be written, told once more and independently of Draft: each part of it is
// put back to what it was, if it has changed as it may, and then nothing must be left.

void PutBackAnnotations(const model::StringMap& before, model::StringMap& after) {
  const auto is_ours = [](const auto& entry) { return entry.first.starts_with("berth.dev/"); };
  model::StringMap rest = before;
  std::erase_if(rest, is_ours);
  std::erase_if(after, is_ours);
  if (after == rest) after = before;
}

void PutBackAmounts(const model::ResourceList& before, model::ResourceList& after) {
  for (const auto* name : {"cpu", "memory"}) {
    // Never taken away.
    if (!after.contains(name)) continue;
    after.erase(name);
    if (const auto was = before.find(name); was != before.end()) after.insert(*was);
  }
}

// Without what was appended.
template <typename T>
void PutBackList(const std::vector<T>& before, std::vector<T>& after) {
  if (after.size() > before.size()) after.erase(after.begin() + std::ssize(before), after.end());
}

void PutBackRestarts(const model::Container& before, model::Container& after) {
  if (after.restart_policy == "Never") after.restart_policy = before.restart_policy;
  if (after.restart_actions.empty()) after.restart_actions = before.restart_actions;
  ASSERT_EQ(before.resize_restarts.size(), after.resize_restarts.size());
  for (std::size_t i = 0; i < before.resize_restarts.size(); ++i) {
    if (after.resize_restarts[i] != "NotRequired") continue;
    after.resize_restarts[i] = before.resize_restarts[i];
  }
}

void PutBackContainer(const model::Container& before, model::Container& after) {
  PutBackRestarts(before, after);
  PutBackAmounts(before.resources.requests, after.resources.requests);
  PutBackAmounts(before.resources.limits, after.resources.limits);
  if (after.init) return;
  PutBackList(before.env, after.env);
  PutBackList(before.mounts, after.mounts);
}

void PutBackTerms(const model::PodTemplate& before, model::PodTemplate& after) {
  if (!before.node_terms) {
    after.node_terms.reset();
    return;
  }
  if (!after.node_terms || after.node_terms->size() != before.node_terms->size()) return;
  for (std::size_t i = 0; i < after.node_terms->size(); ++i) {
    if ((*before.node_terms)[i].empty()) continue;
    PutBackList((*before.node_terms)[i].expressions, (*after.node_terms)[i].expressions);
  }
}

void PutBackPod(const model::PodTemplate& before, model::PodTemplate& after) {
  PutBackAnnotations(before.annotations, after.annotations);
  ASSERT_EQ(before.containers.size(), after.containers.size());
  for (std::size_t i = 0; i < before.containers.size(); ++i) {
    PutBackContainer(before.containers[i], after.containers[i]);
  }
  if (before.resources && after.resources) {
    PutBackAmounts(before.resources->requests, after.resources->requests);
    PutBackAmounts(before.resources->limits, after.resources->limits);
  }
  PutBackTerms(before, after);
  PutBackList(before.volumes, after.volumes);
  if (after.gates.size() == before.gates.size() + 1 && after.gates.back() == "berth.dev/gang") {
    after.gates.pop_back();
  }
  ASSERT_GE(after.termination_grace_period, before.termination_grace_period);
  after.termination_grace_period = before.termination_grace_period;
  if (after.scheduler_name == "berth-scheduler") after.scheduler_name = before.scheduler_name;
}

void PutBackJob(const model::JobSpec& before, model::JobSpec& after) {
  after.backoff_limit = before.backoff_limit;
  // Only a Job with a successPolicy gets a limit per index that it did not have.
  ASSERT_TRUE(before.has_success_policy || after.backoff_limit_per_index.has_value() ==
                                               before.backoff_limit_per_index.has_value());
  after.backoff_limit_per_index = before.backoff_limit_per_index;
  after.pod_replacement_policy = before.pod_replacement_policy;
  using Rules = std::vector<model::FailureRule>;
  const Rules was = before.failure_rules.value_or(Rules());
  std::size_t kept = 0;
  for (model::FailureRule& rule : after.failure_rules.value_or(Rules())) {
    // One that was added.
    if (!rule.written_at) continue;
    ASSERT_TRUE(kept < was.size() && rule.written_at == kept);
    rule.action = was[kept].action;
    ASSERT_TRUE(rule == was[kept]);
    ++kept;
  }
  if (kept == was.size()) after.failure_rules = before.failure_rules;
}

TEST(AdmissionProperties, OnlyListedFieldsAreWritten) {
  ForEachReview(Mode::kEnforce, [](const Review& review) {
    const model::Workload& before = review.workload;
    model::Workload after = Mutate(review).workload;
    PutBackPod(before.pod, after.pod);
    if (before.job) {
      PutBackAnnotations(before.annotations, after.annotations);
      ASSERT_TRUE(after.job);
      PutBackJob(*before.job, *after.job);
      if (after.pod.restart_policy == "Never") after.pod.restart_policy = before.pod.restart_policy;
    }
    ASSERT_TRUE(after == before);
  });
}

// A pod that is retried has the same template, owner and index, and another name.
TEST(AdmissionProperties, ARetryFindsTheCheckpointsOfThePodBefore) {
  std::size_t mounted = 0;
  ForEachReview(Mode::kEnforce, [&](const Review& review) {
    model::Workload first = review.workload;
    first.kind = "Pod";
    first.name = "";
    first.generate_name = "train-";
    model::Workload retry = first;
    retry.name = "train-x7k2p";
    Request request = review.request;
    request.user.name = "system:serviceaccount:kube-system:job-controller";
    const auto a = review.engine.Mutate(request, first).workload.pod;
    const auto b = review.engine.Mutate(request, retry).workload.pod;
    const bool owned = ControllingOwner(first) != nullptr && IsJob(*ControllingOwner(first));
    if (!owned) return;
    for (std::size_t i = 0; i < a.containers.size(); ++i) {
      ASSERT_TRUE(a.containers[i].mounts == b.containers[i].mounts);
      ASSERT_TRUE(a.containers[i].env == b.containers[i].env);
      mounted += a.containers[i].mounts.size() > first.pod.containers[i].mounts.size() ? 1 : 0;
    }
  });
  EXPECT_GT(mounted, 5);
}

}  // namespace
}  // namespace berth::policies::admission
