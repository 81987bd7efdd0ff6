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
  /// Retries of disruptions that a Job may ask for, for each pod that runs at the same time, or for
  /// each index; 0 or more.
  std::int32_t disruption_retries = 20;
  /// Retries on top of these, after failures of the infrastructure; 0 or more.
  std::int32_t infrastructure_retries = 0;
  /// Kinds of objects that restart the Jobs that they own, with their API groups.
  std::vector<std::string> owners = {
      "argoproj.io/Workflow", "jobset.x-k8s.io/JobSet",       "kubeflow.org/JAXJob",
      "kubeflow.org/MPIJob",  "kubeflow.org/PaddleJob",       "kubeflow.org/PyTorchJob",
      "kubeflow.org/TFJob",   "kubeflow.org/XGBoostJob",      "ray.io/RayCluster",
      "ray.io/RayJob",        "trainer.kubeflow.org/TrainJob"};

  friend bool operator==(const JobRetriesConfig&, const JobRetriesConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, JobRetriesConfig& config) {
  visit("disruptionRetries", config.disruption_retries,
        "How many drains, preemptions and evictions the backoffLimit of a Job whose containers all "
        "have memory limits may allow, for each pod that runs at the same time; 0 or more. A Job "
        "that does not say how many it wants gets 6, Kubernetes' default, for each such pod");
  visit("infrastructureRetries", config.infrastructure_retries,
        "How many retries such a Job gets besides; and exit code 255, which containerd gives to "
        "containers lost in a reboot, does not end it then; 0 or more");
  visit(
      "owners", config.owners,
      "Kinds of objects, as group/Kind, that restart the Jobs that they own: such Jobs keep their "
      "own retries if all their containers have memory limits");
}

/// Returns every error in `config`, with paths below the block; empty if it is valid.
std::vector<model::FieldError> Validate(const JobRetriesConfig& config);

/// Ends a Job with its first failure of its own. Otherwise it could run out of memory on node after
/// node and take its neighbours with it.
///
/// The policy applies to Jobs that set no memory limit or ask for accelerators. It has kubelet
/// restart nothing in place (see restarts.h). It leaves Jobs alone that another controller than
/// Kubernetes' own runs.
///
/// If every container's memory is limited by now, a pod that is drained, preempted or evicted is
/// retried, as often as backoffLimit says; 6 stands for 6 times for each pod that runs at the same
/// time. Rules of the podFailurePolicy have every other failure end the Job at once. The API server
/// accepts them only together with restartPolicy Never and podReplacementPolicy Failed:
///
///   backoffLimit: 6
///   podReplacementPolicy: Failed
///   podFailurePolicy:
///     rules:
///     - action: Count
///       onPodConditions: [{type: DisruptionTarget, status: "True"}]
///     - action: FailJob
///       onExitCodes: {operator: NotIn, values: [0]}
///
/// Disruptions count, because kubelet also evicts a pod that fills the disk of its node. Pods that
/// kubelet rejects, which have neither condition nor exit code, count as well. If the Job has a
/// limit per index, that limit counts instead, and FailIndex stands for FailJob. A Job with a
/// successPolicy gets such a limit, so that an index may fail without the others.
///
/// A Job that a queue may suspend has its disruptions ignored instead, with backoffLimit 0. When a
/// Job is suspended, the Job controller deletes its pods and does not count them. But it judges
/// them by rules of action FailJob while kubelet ends them (getFailJobMessage in
/// k8s.io/kubernetes/pkg/controller/job/job_controller.go, v1.36.3), and the Job would fail. Limits
/// per index and FailIndex do not have this fault.
///
/// Without limits backoffLimit is set to 0, and there are no such rules. Rules that the Job already
/// has keep their place, but get another action if they retry too much; see failure_rules.h.
///
/// Jobs with memory limits keep their own retries if their owner restarts them, or if they ask for
/// it in a namespace where they may; see retry_rights.h.
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

  /// Returns true if the Job is not retried after failures of its own and, if it is retried at all,
  /// a rule decides on disruptions.
  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

  /// Objects to limits, rules and restarts in place that retry too much. A missing rule for
  /// disruptions is not objected to. An update may scale the Job down without a lower limit, so the
  /// limit of an updated Job is judged as that of a Job with one pod at a time: above that, it may
  /// only stay or fall. No update can change the rules.
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  // Whether the policy applies to the Job.
  bool Concerns(const model::Workload& workload) const;

  // Whether the Job may be retried at all.
  bool IsLimited(const model::Workload& workload) const;

  // Whether the Job is retried as its author or its operator says.
  bool KeepsItsRetries(const Request& request, const model::Workload& workload) const;

  // Notes why the annotation about own retries has no effect, if the Job has it.
  void NoteOwnRetries(const Request& request, const model::Workload& workload,
                      Remarks& remarks) const;

  // Why retries are refused, for remarks.
  std::string ReasonFor(const Draft& draft) const;

  // The retries of `pods` pods that have `each`.
  std::int64_t RetriesOf(std::int64_t pods, std::int64_t each) const;

  // How rules and limits of a Job of `pods` pods at the same time are judged. The workload must
  // have a Job.
  FailureStance StanceOn(const model::Workload& workload, std::int64_t pods) const;

  // The same if it has limits per index, or has none.
  FailureStance StanceOn(const model::Workload& workload, std::int64_t pods, bool per_index) const;

  // The limit that the Job should have, before its rules are corrected.
  std::int64_t WantedLimit(const model::JobSpec& job, const FailureStance& stance) const;

  // Gives a Job with a successPolicy a limit per index.
  void LimitIndexes(Draft& draft, Remarks& remarks) const;

  // Corrects the rules, adds those that are missing, and sets the limit.
  void SetRetries(Draft& draft, Remarks& remarks) const;

  // Adds the rules that are missing for `limit` retries, with `count` also the one that counts
  // disruptions. Returns false if there is no room.
  bool AddRules(const FailureStance& stance, std::int64_t limit, bool count, Draft& draft,
                Remarks& remarks) const;

  // Sets backoffLimit, or the limit per index.
  void SetLimit(std::int64_t limit, Draft& draft, Remarks& remarks) const;

  // The objections to limits and restarts of a Job to which the policy applies.
  std::vector<Objection> BreachesBesideRules(const model::Workload& workload,
                                             std::int64_t pods) const;

  // The same and those to its rules.
  std::vector<Objection> Breaches(const model::Workload& workload, std::int64_t pods) const;

  const model::AcceleratorCatalog& catalog_;
  const JobRetriesConfig config_;
  // Full names, with the prefix.
  const std::string retryless_annotation_;
  const std::string retries_annotation_;
};

}  // namespace berth::policies::admission
