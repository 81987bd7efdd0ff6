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
  std::int32_t infrastructure_retries = 0;
};

template <typename Visitor>
void VisitFields(Visitor& visit, JobRetriesConfig& config) {
  visit(
      "infrastructureRetries", config.infrastructure_retries,
      "How often a Job whose containers all have memory limits is retried after failures that "
      "set neither a condition nor an exit code of its own: pods that kubelet rejects, containers "
      "lost in a reboot; 0 or more");
}

std::vector<model::FieldError> Validate(const JobRetriesConfig& config);

/// Ends a Job with its first failure of its own, so that it does not run out of memory on node
/// after node and take its neighbours with it. For Jobs that name no memory limit or ask for
/// accelerators: backoffLimit 0 (per index where it has such a limit; backoffLimit is left alone
/// then) and restartPolicy Never. Where every container's memory is limited by now, a pod that is
/// drained, preempted or evicted is retried: that is a rule of the podFailurePolicy, which the API
/// server takes only together with restartPolicy Never and podReplacementPolicy Failed. Without
/// limits there is no such rule: kubelet's eviction under memory pressure counts as a disruption,
/// and the Job would go on for ever. Jobs that something else than Kubernetes' controller runs are
/// left alone.
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

  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  bool Concerns(const model::Workload& workload) const;
  std::string ReasonFor(const Draft& draft) const;
  FailureStance StanceOn(const model::Workload& workload) const;
  std::int64_t AllowedRetries(const model::Workload& workload) const;
  void SetRules(Draft& draft, Remarks& remarks) const;
  void SetLimit(Draft& draft, Remarks& remarks) const;
  std::vector<Objection> Breaches(const model::Workload& workload) const;

  const model::AcceleratorCatalog& catalog_;
  const JobRetriesConfig config_;
  const std::string retryless_annotation_;
};

}  // namespace berth::policies::admission
