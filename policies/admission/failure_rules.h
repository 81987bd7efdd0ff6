#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/workload.h"

// Rules of a Job's podFailurePolicy. The first that matches a failed pod decides; a failure that is
// ignored is retried whatever the limits say, as often as it comes; one that is counted uses up
// backoffLimit, or that of its index (matchPodFailurePolicy in
// k8s.io/kubernetes/pkg/controller/job/pod_failure_policy.go, v1.36.3).
namespace berth::policies::admission {

/// Most rules that a Job may have (maxPodFailurePolicyRules in
/// k8s.io/kubernetes/pkg/apis/batch/validation/validation.go).
inline constexpr std::size_t kMaxFailureRules = 20;

/// How rules are judged.
struct FailureStance {
  /// Whether memory is limited throughout, and the Job not one that must not be retried at all.
  bool limited = false;
  /// How often a counted failure is retried.
  std::int64_t retries = 0;
  /// Whether each index has a limit of its own: then what would fail the Job fails the index alone.
  bool per_index = false;

  /// "FailJob", or "FailIndex".
  std::string_view fail() const { return per_index ? "FailIndex" : "FailJob"; }
};

/// What the rule's action should be; its own where it is right.
///
/// Ignored failures. The one condition that means that the pod's node, and not the pod, was at
/// fault is DisruptionTarget. Kubelet's eviction under memory pressure sets it, too; only a pod
/// whose memory is limited cannot be the cause, so without limits it counts. So do the conditions
/// that Kubernetes gives to every failed pod, always, and all others without limits: an
/// out-of-memory pod may have any. And so do exit codes, limits or not: running out of memory is
/// 137 in the process that is killed, and whatever its parent makes of it in the one that kubelet
/// sees.
///
/// Counted failures. With `retries` they are tried again. Those are meant for what befalls a pod,
/// so an exit code that is counted fails instead, but for 255, which containerd gives to a
/// container that it lost in a reboot.
///
/// FailJob and FailIndex stand: nothing is retried more often for them.
std::string_view RightAction(const model::FailureRule& rule, const FailureStance& stance);

/// Whether a rule says what becomes of pods that were drained, preempted or evicted. One that
/// RightAction changes does not.
bool DecidesOnDisruption(const model::FailureRule& rule, const FailureStance& stance);

/// Ignores DisruptionTarget.
model::FailureRule IgnoreDisruption();

/// Fails for every exit code but 255.
model::FailureRule FailOnExitCode(const FailureStance& stance);

bool IsFailOnExitCode(const model::FailureRule& rule, const FailureStance& stance);

}  // namespace berth::policies::admission
