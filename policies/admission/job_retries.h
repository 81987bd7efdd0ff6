#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/failure_rules.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// The block admission.policies.jobRetries.
struct JobRetriesConfig {
  /// Retries after failures of the infrastructure; 0 or more.
  std::int32_t infrastructure_retries = 0;

  friend bool operator==(const JobRetriesConfig&, const JobRetriesConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, JobRetriesConfig& config) {
  visit(
      "infrastructureRetries", config.infrastructure_retries,
      "How often a Job whose containers all have memory limits is retried after failures that "
      "set neither a condition nor an exit code of its own: pods that kubelet rejects, containers "
      "lost in a reboot; 0 or more");
}

/// Returns every error in `config`, with paths below the block; empty if it is valid.
std::vector<model::FieldError> Validate(const JobRetriesConfig& config);

/// Ends a Job with its first failure of its own. Otherwise it could run out of memory on node after
/// node and take its neighbours with it.
///
/// The policy applies to Jobs that set no memory limit or ask for accelerators. It sets
/// backoffLimit to 0 and restartPolicy to Never. If the Job has a limit per index, the policy sets
/// that limit to 0 and leaves backoffLimit alone. It leaves Jobs alone that another controller than
/// Kubernetes' own runs.
///
/// If every container's memory is limited by now, a pod that is drained, preempted or evicted is
/// still retried. A rule of the podFailurePolicy says so, which the API server accepts only
/// together with restartPolicy Never and podReplacementPolicy Failed:
///
///   backoffLimit: 0
///   podReplacementPolicy: Failed
///   podFailurePolicy:
///     rules:
///     - action: Ignore
///       onPodConditions: [{type: DisruptionTarget, status: "True"}]
///
/// Without limits there is no such rule: kubelet's eviction under memory pressure counts as a
/// disruption, so the Job would go on for ever. Rules that the Job already has keep their place,
/// but get another action if they retry too much; see failure_rules.h.
class JobRetriesPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "job-retries";
  static constexpr std::string_view kConfigKey = "jobRetries";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Jobs without memory limits, or with accelerators, are not retried after failures of their "
      "own";
  using Config = JobRetriesConfig;

  JobRetriesPolicy(const PolicyContext& context, const JobRetriesConfig& config);

  /// Returns true if the Job is not retried after failures of its own and, with limits, a rule
  /// decides on disruptions.
  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

  /// Objects to limits and rules that retry too much. A missing rule for disruptions is not
  /// objected to.
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  // Whether the policy applies to the Job.
  bool Concerns(const model::Workload& workload) const;

  // Why retries are refused, for remarks.
  std::string ReasonFor(const Draft& draft) const;

  // How rules of the Job are judged. The workload must have a Job.
  FailureStance StanceOn(const model::Workload& workload) const;

  // The retries that the Job's limit may allow.
  std::int64_t AllowedRetries(const model::Workload& workload) const;

  // Corrects the rules and adds those that are missing.
  void SetRules(Draft& draft, Remarks& remarks) const;

  // Lowers backoffLimit, or the limit per index.
  void SetLimit(Draft& draft, Remarks& remarks) const;
  // The objections to a Job to which the policy applies.
  std::vector<Objection> Breaches(const model::Workload& workload) const;

  const model::AcceleratorCatalog& catalog_;
  const JobRetriesConfig config_;
  // Full name, with the prefix; see RetrylessAnnotation.
  const std::string retryless_annotation_;
};

}  // namespace berth::policies::admission
