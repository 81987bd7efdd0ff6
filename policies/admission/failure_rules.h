#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/workload.h"

// Rules of a Job's podFailurePolicy. The first rule that matches a failed pod decides. An ignored
// failure is retried without any limit. A counted failure uses up backoffLimit, or the limit of its
// index, and so does one that no rule matches (matchPodFailurePolicy in
// k8s.io/kubernetes/pkg/controller/job/pod_failure_policy.go, v1.36.3).
namespace berth::policies::admission {

/// The number of rules that the API server accepts (maxPodFailurePolicyRules in
/// k8s.io/kubernetes/pkg/apis/batch/validation/validation.go).
inline constexpr std::size_t kMaxFailureRules = 20;

/// The facts about a Job by which its rules are judged.
struct FailureStance {
  /// Whether all containers have a memory limit and the Job is not one that must never be retried.
  bool limited = false;
  /// How many retries counted failures may get.
  std::int64_t retries = 0;
  /// Whether each index has its own limit. Then a failure fails only the index, not the Job.
  bool per_index = false;
  /// Whether containers that were lost in a reboot may be retried.
  bool retries_lost = false;
  /// Whether disruptions are ignored instead of counted. Then `retries` is 0.
  bool ignores = false;

  /// The action that ends the Job or the index: "FailJob" or "FailIndex".
  std::string_view fail() const { return per_index ? "FailIndex" : "FailJob"; }
};

/// The action that the rule should have; the rule's own action if that is right.
///
/// Ignore is right only for conditions that cannot come from the pod itself, of a Job with memory
/// limits. Without limits every ignored failure counts instead: a pod that ran out of memory may
/// have any condition. DisruptionTarget counts, too. kubelet sets it when it evicts a pod because
/// the node is short of memory, disk, inodes or process ids, and no limit keeps a pod from using up
/// the last two: such a pod would be retried for ever. Only with `ignores` it is ignored. Rules on
/// conditions that Kubernetes gives to
/// every failed pod count as well. So do rules on exit codes: a process that ran out of memory
/// exits with 137, and its parent, which kubelet sees, with any code.
///
/// Count is right if `retries` is 0. With retries, a counted failure is tried again, and retries
/// are meant for disruptions. So rules on exit codes and on conditions of every pod fail instead.
/// With `retries_lost` a rule on 255 alone may count: containerd gives that code to a container
/// that it lost in a reboot.
///
/// FailJob and FailIndex are always right: they cause no retries.
std::string_view RightAction(const model::FailureRule& rule, const FailureStance& stance);

/// Whether the rule is about pods that were drained, preempted or evicted, and decides what happens
/// to them once it has its right action. A rule that fails only because of its other conditions
/// does not.
bool DecidesOnDisruption(const model::FailureRule& rule, const FailureStance& stance);

/// Whether the rule decides on disruptions and asks for retries without an end, which become
/// counted ones.
bool RetriesWithoutEnd(const model::FailureRule& rule, const FailureStance& stance);

/// The rule that ignores DisruptionTarget:
///
///   {action: Ignore, onPodConditions: [{type: DisruptionTarget, status: "True"}]}
model::FailureRule IgnoreDisruption();

/// The rule that counts DisruptionTarget. It has to come before rules on exit codes, which a pod
/// that is evicted has as well:
///
///   {action: Count, onPodConditions: [{type: DisruptionTarget, status: "True"}]}
model::FailureRule CountDisruption();

/// The rule that fails for every exit code (0 is not looked at), with FailIndex instead if each
/// index has a limit; with `retries_lost` for every code but 255:
///
///   {action: FailJob, onExitCodes: {operator: NotIn, values: [0]}}
model::FailureRule FailOnExitCode(const FailureStance& stance);

/// Whether the rule does what FailOnExitCode does, for all containers.
bool IsFailOnExitCode(const model::FailureRule& rule, const FailureStance& stance);

}  // namespace berth::policies::admission
