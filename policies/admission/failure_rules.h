#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/workload.h"

// Rules of a Job's podFailurePolicy. The first rule that matches a failed pod decides. An ignored
// failure is retried without any limit. A counted failure uses up backoffLimit, or the limit of its
// index (matchPodFailurePolicy in k8s.io/kubernetes/pkg/controller/job/pod_failure_policy.go,
// v1.36.3).
namespace berth::policies::admission {

/// The number of rules that the API server accepts (maxPodFailurePolicyRules in
/// k8s.io/kubernetes/pkg/apis/batch/validation/validation.go).
inline constexpr std::size_t kMaxFailureRules = 20;

/// The facts about a Job by which its rules are judged.
struct FailureStance {
  /// Whether all containers have a memory limit and the Job is not one that must never be retried.
  bool limited = false;
  /// How many retries a counted failure may get.
  std::int64_t retries = 0;
  /// Whether each index has its own limit. Then a failure fails only the index, not the Job.
  bool per_index = false;

  /// The action that ends the Job or the index: "FailJob" or "FailIndex".
  std::string_view fail() const { return per_index ? "FailIndex" : "FailJob"; }
};

/// The action that the rule should have; the rule's own action if that is right.
///
/// Ignore is right only for conditions that cannot come from the pod itself. DisruptionTarget is
/// the one condition that says that the node was at fault. But kubelet also sets it when it evicts
/// a pod under memory pressure, and only a pod with memory limits cannot be the cause of that. So
/// without limits every ignored failure counts instead: a pod that ran out of memory may have any
/// condition. With limits, rules on conditions that Kubernetes gives to every failed pod count
/// instead. Rules on exit codes always do: a process that ran out of memory exits with 137, and its
/// parent, which kubelet sees, with any code.
///
/// Count is right if `retries` is 0. With retries, a counted failure is tried again, and retries
/// are meant for failures of the infrastructure. So a rule on exit codes fails instead, except for
/// 255, which containerd gives to a container that it lost in a reboot.
///
/// FailJob and FailIndex are always right: they cause no retries.
std::string_view RightAction(const model::FailureRule& rule, const FailureStance& stance);

/// Whether the rule decides what happens to pods that were drained, preempted or evicted. A rule
/// that RightAction would change does not.
bool DecidesOnDisruption(const model::FailureRule& rule, const FailureStance& stance);

/// The rule that ignores DisruptionTarget:
///
///   {action: Ignore, onPodConditions: [{type: DisruptionTarget, status: "True"}]}
model::FailureRule IgnoreDisruption();

/// The rule that fails for every exit code but 255, with FailIndex instead if each index has a
/// limit:
///
///   {action: FailJob, onExitCodes: {operator: NotIn, values: [255]}}
model::FailureRule FailOnExitCode(const FailureStance& stance);

/// Whether the rule does what FailOnExitCode does, for all containers.
bool IsFailOnExitCode(const model::FailureRule& rule, const FailureStance& stance);

}  // namespace berth::policies::admission
