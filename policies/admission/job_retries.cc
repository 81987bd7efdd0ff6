#include "policies/admission/job_retries.h"

#include <algorithm>
#include <utility>

#include "model/annotation.h"
#include "policies/admission/job.h"
#include "policies/admission/qos.h"

namespace berth::policies::admission {

using model::FailureRule;
using model::JobSpec;
using model::Workload;

namespace {

// The API server's default. Nobody can tell it from a value that a user wrote (SetDefaults_Job in
// k8s.io/kubernetes/pkg/apis/batch/v1/defaults.go, v1.36.3).
constexpr std::int64_t kDefaultBackoffLimit = 6;
constexpr std::string_view kNever = "Never";

const std::vector<FailureRule>& RulesOf(const JobSpec& job) {
  static const std::vector<FailureRule> none;
  return job.failure_rules ? *job.failure_rules : none;
}

bool AnyDecidesOnDisruption(const JobSpec& job, const FailureStance& stance) {
  return std::ranges::any_of(RulesOf(job), [&stance](const FailureRule& rule) {
    return DecidesOnDisruption(rule, stance);
  });
}

bool FailsOnExitCode(const JobSpec& job, const FailureStance& stance) {
  return std::ranges::any_of(
      RulesOf(job), [&stance](const FailureRule& rule) { return IsFailOnExitCode(rule, stance); });
}

void CorrectRules(const FailureStance& stance, Draft& draft, Remarks& remarks) {
  std::size_t first = 0;
  std::string action;
  std::size_t corrected = 0;
  for (std::size_t i = 0; i < RulesOf(*draft.workload().job).size(); ++i) {
    const FailureRule& rule = RulesOf(*draft.workload().job)[i];
    const std::string right(RightAction(rule, stance));
    if (right == rule.action) continue;
    if (corrected++ == 0) {
      first = rule.written_at.value_or(i);
      action = right;
    }
    draft.SetFailureRuleAction(i, right);
  }
  if (corrected == 0) return;
  const std::string more = corrected == 1 ? "" : " and " + std::to_string(corrected - 1) + " more";
  remarks.Changed("podFailurePolicy.rules[" + std::to_string(first) + "]" + more + " set to " +
                  action + ": a pod out of memory is not retried");
}

bool HasRoomForRule(const JobSpec& job, Remarks& remarks) {
  const std::size_t rules = RulesOf(job).size();
  if (rules < kMaxFailureRules) return true;
  remarks.Noted("podFailurePolicy has " + std::to_string(rules) +
                " rules, which leaves no room for a rule about retries");
  return false;
}

void SetRestartPolicy(Draft& draft, Remarks& remarks) {
  const std::string& policy = draft.pod().restart_policy;
  if (policy == kNever) return;
  remarks.Changed("restartPolicy " + policy +
                  " set to Never: the Job decides whether a failure is retried");
  draft.SetRestartPolicy(std::string(kNever));
}

}  // namespace

std::vector<model::FieldError> Validate(const JobRetriesConfig& config) {
  if (config.infrastructure_retries >= 0) return {};
  return {{"infrastructureRetries", "must be 0 or more, got " +
                                        std::to_string(config.infrastructure_retries) +
                                        "; 0 means that only disruptions are retried"}};
}

JobRetriesPolicy::JobRetriesPolicy(const PolicyContext& context, const JobRetriesConfig& config)
    : catalog_(context.catalog),
      config_(config),
      retryless_annotation_(model::kRetrylessAnnotation.Below(context.prefix)) {}

bool JobRetriesPolicy::Concerns(const Workload& workload) const {
  return AsksForAccelerators(workload.pod, catalog_) || workload.pod.has_claims ||
         !HasMemoryLimits(workload.pod) || IsMarkedRetryless(workload.pod, retryless_annotation_);
}

FailureStance JobRetriesPolicy::StanceOn(const Workload& workload) const {
  const bool retryless = IsMarkedRetryless(workload.pod, retryless_annotation_);
  const bool limited = HasMemoryLimits(workload.pod) && !retryless;
  return {.limited = limited,
          .retries = limited ? config_.infrastructure_retries : 0,
          .per_index = workload.job->backoff_limit_per_index.has_value()};
}

// Retries are allowed only together with the rule that prevents retries after the Job's own
// failures.
std::int64_t JobRetriesPolicy::AllowedRetries(const Workload& workload) const {
  const FailureStance stance = StanceOn(workload);
  return FailsOnExitCode(*workload.job, stance) ? stance.retries : 0;
}

bool JobRetriesPolicy::Mutate(const Request& request, Draft& draft, Remarks& remarks) const {
  if (!draft.workload().job || !IsRunByKubernetes(*draft.workload().job)) return false;
  // The draft of a Job without limits may have got limits by now, or when it was created. But its
  // author still does not know how much memory the Job needs.
  if (Concerns(draft.original()) || Concerns(draft.workload()) || WasApplied(kName, request)) {
    SetRules(draft, remarks);
    SetLimit(draft, remarks);
    SetRestartPolicy(draft, remarks);
  }
  const Workload& result = draft.workload();
  const FailureStance stance = StanceOn(result);
  return Breaches(result).empty() &&
         (!stance.limited || AnyDecidesOnDisruption(*result.job, stance));
}

void JobRetriesPolicy::SetRules(Draft& draft, Remarks& remarks) const {
  const FailureStance stance = StanceOn(draft.workload());
  const JobSpec& job = *draft.workload().job;
  const bool ignore = stance.limited && !AnyDecidesOnDisruption(job, stance);
  CorrectRules(stance, draft, remarks);
  const bool fail = stance.retries > 0 && !FailsOnExitCode(job, stance);
  if (ignore && HasRoomForRule(job, remarks)) {
    draft.PrependFailureRule(IgnoreDisruption());
    remarks.Changed("podFailurePolicy retries pods that are drained, preempted or evicted");
  }
  if (fail && HasRoomForRule(job, remarks)) draft.AppendFailureRule(FailOnExitCode(stance));
  if (draft.workload().job->failure_rules) draft.SetPodReplacementPolicy("Failed");
}

std::string JobRetriesPolicy::ReasonFor(const Draft& draft) const {
  if (!HasMemoryLimits(draft.original().pod)) {
    return "a Job that sets no memory limit may fail on node after node";
  }
  return "what fails on one accelerator would fail on the next";
}

void JobRetriesPolicy::SetLimit(Draft& draft, Remarks& remarks) const {
  const JobSpec& job = *draft.workload().job;
  const bool per_index = job.backoff_limit_per_index.has_value();
  const std::int64_t was = per_index ? *job.backoff_limit_per_index : job.backoff_limit;
  const std::int64_t retries = AllowedRetries(draft.workload());
  if (config_.infrastructure_retries > 0 && !StanceOn(draft.workload()).limited) {
    remarks.Noted("no infrastructureRetries: they require limits in every container");
  }
  if (was <= retries) return;
  std::string what = per_index ? "backoffLimitPerIndex " : "backoffLimit ";
  if (per_index || was != kDefaultBackoffLimit) what += std::to_string(was) + " ";
  remarks.Changed(
      what + "set to " + std::to_string(retries) + ": " +
      (retries > 0 ? "only failures of the infrastructure are retried" : ReasonFor(draft)));
  if (per_index) {
    draft.SetBackoffLimitPerIndex(retries);
  } else {
    draft.SetBackoffLimit(retries);
  }
}

std::vector<Objection> JobRetriesPolicy::Judge(const Request&, const Workload& workload) const {
  if (!workload.job || !IsRunByKubernetes(*workload.job) || !Concerns(workload)) return {};
  return Breaches(workload);
}

// A missing rule for disruptions is no breach: without it the Job only misses a retry.
std::vector<Objection> JobRetriesPolicy::Breaches(const Workload& workload) const {
  const JobSpec& job = *workload.job;
  const std::string field = JobSpecField(workload);
  const bool per_index = job.backoff_limit_per_index.has_value();
  const std::int64_t retries = AllowedRetries(workload);
  const std::int64_t limit = per_index ? *job.backoff_limit_per_index : job.backoff_limit;
  std::vector<Objection> breaches;
  if (limit > retries) {
    breaches.push_back({field + (per_index ? ".backoffLimitPerIndex" : ".backoffLimit"),
                        "lets the Job fail on node after node", "write " + std::to_string(retries),
                        limit});
  }
  if (workload.pod.restart_policy != kNever) {
    breaches.push_back({PodSpecField(workload) + ".restartPolicy", "is not Never",
                        "write Never: the Job decides whether a failure is retried"});
  }
  const FailureStance stance = StanceOn(workload);
  const auto& rules = RulesOf(job);
  for (std::size_t i = 0; i < std::min(rules.size(), kMaxFailureRules); ++i) {
    const std::string_view right = RightAction(rules[i], stance);
    if (right == rules[i].action) continue;
    breaches.push_back({field + ".podFailurePolicy.rules[" + std::to_string(i) + "].action",
                        "retries what may have run out of memory", "write " + std::string(right)});
  }
  return breaches;
}

}  // namespace berth::policies::admission
