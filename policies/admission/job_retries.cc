#include "policies/admission/job_retries.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/annotation.h"
#include "policies/admission/job.h"
#include "policies/admission/qos.h"
#include "policies/admission/restarts.h"
#include "policies/admission/retry_rights.h"

namespace berth::policies::admission {

using model::FailureRule;
using model::JobSpec;
using model::Workload;

namespace {

// The API server's default. Nobody can tell it from a value that a user wrote (SetDefaults_Job in
// k8s.io/kubernetes/pkg/apis/batch/v1/defaults.go, v1.36.3).
constexpr std::int64_t kDefaultBackoffLimit = 6;
// The largest limit; also the default of backoffLimit beside a limit per index.
constexpr std::int64_t kMaxLimit = std::numeric_limits<std::int32_t>::max();
// A Job of more completions may have a limit per index only with maxFailedIndexes
// (completionsSoftLimit in k8s.io/kubernetes/pkg/apis/batch/validation/validation.go, v1.36.3).
constexpr std::int64_t kMaxLimitedIndexes = 100'000;

const std::vector<FailureRule>& RulesOf(const JobSpec& job) {
  static const std::vector<FailureRule> none;
  return job.failure_rules ? *job.failure_rules : none;
}

bool AnyRule(const JobSpec& job, const FailureStance& stance,
             bool (*is_so)(const FailureRule&, const FailureStance&)) {
  return std::ranges::any_of(
      RulesOf(job), [&stance, is_so](const FailureRule& rule) { return is_so(rule, stance); });
}

std::int64_t LimitOf(const JobSpec& job) {
  return job.backoff_limit_per_index.value_or(job.backoff_limit);
}

std::string LimitField(const JobSpec& job) {
  return job.backoff_limit_per_index ? "backoffLimitPerIndex" : "backoffLimit";
}

// Each index of a Job with limits per index counts for itself.
std::int64_t PodsOf(const JobSpec& job) {
  return job.backoff_limit_per_index ? 1 : PodsAtOnce(job);
}

std::string WhyCorrected(const FailureRule& rule, const FailureStance& stance) {
  return stance.limited && RetriesWithoutEnd(rule, stance) ? "retries of disruptions need an end"
                                                           : "a pod out of memory is not retried";
}

void CorrectRules(const FailureStance& stance, Draft& draft, Remarks& remarks) {
  std::string first;
  std::string change;
  std::size_t corrected = 0;
  for (std::size_t i = 0; i < RulesOf(*draft.workload().job).size(); ++i) {
    const FailureRule rule = RulesOf(*draft.workload().job)[i];
    const std::string right(RightAction(rule, stance));
    if (right == rule.action) continue;
    if (corrected++ == 0) {
      first = std::to_string(rule.written_at.value_or(i));
      change = " set to " + right + ": " + WhyCorrected(rule, stance);
    }
    draft.SetFailureRuleAction(i, right);
  }
  if (corrected == 0) return;
  const std::string more = corrected == 1 ? "" : " and " + std::to_string(corrected - 1) + " more";
  remarks.Changed("podFailurePolicy.rules[" + first + "]" + more + change);
}

bool HasRoomFor(std::size_t more, const JobSpec& job, Remarks& remarks) {
  const std::size_t rules = RulesOf(job).size();
  if (rules + more <= kMaxFailureRules) return true;
  remarks.Noted("podFailurePolicy has " + std::to_string(rules) +
                " rules, which leaves no room for those about retries");
  return false;
}

void IgnoreDisruptions(Draft& draft, Remarks& remarks) {
  if (!HasRoomFor(1, *draft.workload().job, remarks)) return;
  remarks.Changed("podFailurePolicy retries pods that are drained, preempted or evicted");
  draft.PrependFailureRule(IgnoreDisruption());
}

std::string WhatHasNoEffect(const std::string& annotation, const std::string& why) {
  return annotation + " has no effect: " + why;
}

}  // namespace

std::vector<model::FieldError> Validate(const JobRetriesConfig& config) {
  std::vector<model::FieldError> errors;
  if (config.disruption_retries < 0) {
    errors.push_back({"disruptionRetries", "must be 0 or more, got " +
                                               std::to_string(config.disruption_retries) +
                                               "; 0 means that disruptions are not retried"});
  }
  if (config.infrastructure_retries < 0) {
    errors.push_back({"infrastructureRetries", "must be 0 or more, got " +
                                                   std::to_string(config.infrastructure_retries) +
                                                   "; 0 means that only disruptionRetries count"});
  }
  for (std::size_t i = 0; i < config.owners.size(); ++i) {
    if (IsKindOfGroup(config.owners[i])) continue;
    errors.push_back({"owners[" + std::to_string(i) + "]",
                      "is not group/Kind; write one such as jobset.x-k8s.io/JobSet"});
  }
  return errors;
}

JobRetriesPolicy::JobRetriesPolicy(const PolicyContext& context, const JobRetriesConfig& config)
    : catalog_(context.catalog),
      config_(config),
      retryless_annotation_(model::kRetrylessAnnotation.Below(context.prefix)),
      retries_annotation_(model::kRetriesAnnotation.Below(context.prefix)) {}

bool JobRetriesPolicy::Concerns(const Workload& workload) const {
  return AsksForAccelerators(workload.pod, catalog_) || workload.pod.has_claims ||
         !HasMemoryLimits(workload.pod) || IsMarkedRetryless(workload.pod, retryless_annotation_);
}

bool JobRetriesPolicy::IsLimited(const Workload& workload) const {
  return HasMemoryLimits(workload.pod) && !IsMarkedRetryless(workload.pod, retryless_annotation_);
}

bool JobRetriesPolicy::KeepsItsRetries(const Request& request, const Workload& workload) const {
  if (!IsLimited(workload)) return false;
  return IsRestartedByOwner(request, workload, config_.owners) ||
         (request.own_retries_allowed && AsksForOwnRetries(workload, retries_annotation_));
}

void JobRetriesPolicy::NoteOwnRetries(const Request& request, const Workload& workload,
                                      Remarks& remarks) const {
  if (!workload.is_job()) NoteIfMisplaced(workload, retries_annotation_, remarks);
  const bool asks = AsksForOwnRetries(workload, retries_annotation_);
  if (!asks && model::Find(workload.pod.annotations, retries_annotation_)) {
    remarks.Noted(WhatHasNoEffect(retries_annotation_, "its only value is own"));
  }
  if (!asks) return;
  remarks.Noted(WhatHasNoEffect(retries_annotation_,
                                request.own_retries_allowed
                                    ? "it requires memory limits in every container"
                                    : "admission.ownRetries does not list the namespace"));
}

std::int64_t JobRetriesPolicy::RetriesOf(std::int64_t pods, std::int64_t each) const {
  return std::min(pods * each + config_.infrastructure_retries, kMaxLimit);
}

FailureStance JobRetriesPolicy::StanceOn(const Workload& workload, std::int64_t pods) const {
  return StanceOn(workload, pods, workload.job->backoff_limit_per_index.has_value());
}

FailureStance JobRetriesPolicy::StanceOn(const Workload& workload, std::int64_t pods,
                                         bool per_index) const {
  const JobSpec& job = *workload.job;
  const bool limited = IsLimited(workload);
  FailureStance stance{.limited = limited,
                       .retries = limited ? RetriesOf(pods, config_.disruption_retries) : 0,
                       .per_index = per_index,
                       .retries_lost = config_.infrastructure_retries > 0};
  // A queue's webhook may have suspended the Job after Berth has added the rule that fails.
  stance.ignores = limited && job.queued && !per_index && !AnyRule(job, stance, IsFailOnExitCode);
  if (stance.ignores) stance.retries = 0;
  return stance;
}

bool JobRetriesPolicy::Mutate(const Request& request, Draft& draft, Remarks& remarks) const {
  if (!draft.workload().job || !IsRunByKubernetes(*draft.workload().job)) return false;
  if (KeepsItsRetries(request, draft.workload())) return false;
  // The draft of a Job without limits may have got limits by now, or when it was created. But its
  // author still does not know how much memory the Job needs.
  if (Concerns(draft.original()) || Concerns(draft.workload()) || WasApplied(kName, request)) {
    NoteOwnRetries(request, draft.workload(), remarks);
    LimitIndexes(draft, remarks);
    SetRetries(draft, remarks);
    ForbidRestarts(draft, remarks);
  }
  const Workload& result = draft.workload();
  const FailureStance stance = StanceOn(result, PodsOf(*result.job));
  // Only the result may decide, so that the policy says the same when it sees the result again.
  return Breaches(result, PodsOf(*result.job)).empty() &&
         (LimitOf(*result.job) == 0 || AnyRule(*result.job, stance, DecidesOnDisruption));
}

std::int64_t JobRetriesPolicy::WantedLimit(const JobSpec& job, const FailureStance& stance) const {
  const std::int64_t limit = LimitOf(job);
  if (AnyRule(job, stance, RetriesWithoutEnd)) return stance.retries;
  const bool is_default = !job.backoff_limit_per_index && limit == kDefaultBackoffLimit;
  if (!is_default) return std::min(limit, stance.retries);
  const std::int64_t each = std::min<std::int64_t>(limit, config_.disruption_retries);
  return std::min(RetriesOf(stance.per_index ? 1 : PodsOf(job), each), stance.retries);
}

void JobRetriesPolicy::LimitIndexes(Draft& draft, Remarks& remarks) const {
  const JobSpec& job = *draft.workload().job;
  if (!job.has_success_policy || job.backoff_limit_per_index) return;
  if (job.completions.value_or(1) > kMaxLimitedIndexes) return;
  if (job.backoff_limit == 0 && StanceOn(draft.workload(), 1).ignores) return;
  const std::int64_t limit = WantedLimit(job, StanceOn(draft.workload(), 1, true));
  if (limit == 0) return;
  remarks.Changed("backoffLimitPerIndex " + std::to_string(limit) +
                  " replaces backoffLimit: other indexes may still meet successPolicy");
  draft.SetBackoffLimitPerIndex(limit);
  draft.SetBackoffLimit(kMaxLimit);
}

void JobRetriesPolicy::SetRetries(Draft& draft, Remarks& remarks) const {
  const FailureStance stance = StanceOn(draft.workload(), PodsOf(*draft.workload().job));
  std::int64_t limit = WantedLimit(*draft.workload().job, stance);
  const bool decided = AnyRule(*draft.workload().job, stance, DecidesOnDisruption);
  if (config_.infrastructure_retries > 0 && !stance.limited) {
    remarks.Noted("no infrastructureRetries: they require limits in every container");
  }
  CorrectRules(stance, draft, remarks);
  if (stance.ignores && !decided) IgnoreDisruptions(draft, remarks);
  if (limit > 0 && !AddRules(stance, limit, !decided, draft, remarks)) limit = 0;
  if (draft.workload().job->failure_rules) draft.SetPodReplacementPolicy("Failed");
  SetLimit(limit, draft, remarks);
}

bool JobRetriesPolicy::AddRules(const FailureStance& stance, std::int64_t limit, bool count,
                                Draft& draft, Remarks& remarks) const {
  const JobSpec& job = *draft.workload().job;
  const bool fail = !AnyRule(job, stance, IsFailOnExitCode);
  if (!HasRoomFor((count ? 1 : 0) + (fail ? 1 : 0), job, remarks)) return false;
  if (count) {
    remarks.Changed("podFailurePolicy retries pods that are drained, preempted or evicted, " +
                    std::to_string(limit) + " times at most");
    draft.PrependFailureRule(CountDisruption());
  }
  if (fail) {
    remarks.Changed("own failures end the " + std::string(stance.per_index ? "index" : "Job") +
                    ": " + ReasonFor(draft));
    draft.AppendFailureRule(FailOnExitCode(stance));
  }
  return true;
}

std::string JobRetriesPolicy::ReasonFor(const Draft& draft) const {
  if (!HasMemoryLimits(draft.original().pod)) {
    return "a Job that sets no memory limit may fail on node after node";
  }
  return "what fails on one accelerator would fail on the next";
}

void JobRetriesPolicy::SetLimit(std::int64_t limit, Draft& draft, Remarks& remarks) const {
  const JobSpec& job = *draft.workload().job;
  const bool per_index = job.backoff_limit_per_index.has_value();
  const std::int64_t was = LimitOf(job);
  const std::string field = LimitField(job);
  const bool ignores = StanceOn(draft.workload(), 1).ignores;
  if (was == 0 && limit == 0 && IsLimited(draft.workload()) && !ignores) {
    remarks.Noted(field + " is 0: a pod that is drained, preempted or evicted is not retried");
  }
  if (was == limit) return;
  const bool is_said = per_index || was != kDefaultBackoffLimit;
  remarks.Changed(
      field + (is_said ? " " + std::to_string(was) : "") + " set to " + std::to_string(limit) +
      ": " +
      (limit == 0 ? ReasonFor(draft) : "so many disruptions are retried, of all pods together"));
  if (per_index) {
    draft.SetBackoffLimitPerIndex(limit);
  } else {
    draft.SetBackoffLimit(limit);
  }
}

std::vector<Objection> JobRetriesPolicy::Judge(const Request& request,
                                               const Workload& workload) const {
  if (!workload.job || !IsRunByKubernetes(*workload.job) || !Concerns(workload)) return {};
  if (KeepsItsRetries(request, workload)) return {};
  return request.operation == Operation::kUpdate ? BreachesBesideRules(workload, 1)
                                                 : Breaches(workload, PodsOf(*workload.job));
}

std::vector<Objection> JobRetriesPolicy::BreachesBesideRules(const Workload& workload,
                                                             std::int64_t pods) const {
  const JobSpec& job = *workload.job;
  const std::string field = JobSpecField(workload);
  const FailureStance stance = StanceOn(workload, pods);
  const std::int64_t allowed = AnyRule(job, stance, IsFailOnExitCode) ? stance.retries : 0;
  std::vector<Objection> breaches;
  if (LimitOf(job) > allowed) {
    breaches.push_back({field + "." + LimitField(job),
                        allowed == 0 ? "lets the Job fail on node after node"
                                     : "has more disruptions retried than disruptionRetries allows",
                        "write " + std::to_string(allowed), LimitOf(job)});
  }
  for (Objection& objection : ObjectToRestarts(workload)) breaches.push_back(std::move(objection));
  return breaches;
}

// A missing rule for disruptions is no breach: without it the Job only misses a retry.
std::vector<Objection> JobRetriesPolicy::Breaches(const Workload& workload,
                                                  std::int64_t pods) const {
  std::vector<Objection> breaches = BreachesBesideRules(workload, pods);
  const std::string field = JobSpecField(workload);
  const FailureStance stance = StanceOn(workload, pods);
  const auto& rules = RulesOf(*workload.job);
  for (std::size_t i = 0; i < std::min(rules.size(), kMaxFailureRules); ++i) {
    const std::string_view right = RightAction(rules[i], stance);
    if (right == rules[i].action) continue;
    const bool endless = stance.limited && RetriesWithoutEnd(rules[i], stance);
    breaches.push_back(
        {field + ".podFailurePolicy.rules[" + std::to_string(i) + "].action",
         endless ? "retries disruptions without an end" : "retries what may have run out of memory",
         "write " + std::string(right)});
  }
  return breaches;
}

}  // namespace berth::policies::admission
