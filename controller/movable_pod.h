#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json_value.h"
#include "model/gang.h"
#include "model/pod.h"
#include "model/time.h"

// Whether a pod that runs can go on after an eviction: somebody makes it anew, and it loses only
// what it did since its last checkpoint. Pure functions; thread-safe.

namespace berth::controller {

/// A pod that is bound, with what decides whether it can go on elsewhere. A plain value.
struct RunningPod {
  model::Pod pod;
  /// The object that controls it. Empty if none does.
  std::string owner_version;
  std::string owner_kind;
  std::string owner_name;
  /// How often its index of an Indexed Job has failed so far. Only where the Job has a limit per
  /// index.
  std::int64_t index_failures = 0;
  /// spec.terminationGracePeriodSeconds: for how long it may go on after it was evicted.
  model::Duration grace{0};

  /// Whether a Job of Kubernetes' own controls it.
  bool IsOfJob() const;
  /// Whether it belongs to its node: the pod of a DaemonSet, or a static pod.
  bool BelongsToNode() const;
};

/// Reads a v1.Pod.
RunningPod RunningPodFromJson(const kube::JsonValue& pod);

/// Returns the pod with what still matters once it is chosen to be evicted, so that all pods of a
/// gang fit into the memory however large they are: who it is and what made it, its node, its
/// times, and of the annotations those with these names. Of a value the first 4 KiB are kept: none
/// of Berth's that is valid has more.
RunningPod Trimmed(RunningPod running, const std::set<std::string, std::less<>>& annotations);

/// What a Job (of batch) does with pods that are evicted. A plain value.
struct JobRetries {
  /// What becomes of a pod that was evicted.
  enum class Then {
    /// It is made anew, and counts as a failure. So does every pod if there is no rule about it.
    kCounts,
    /// It is made anew, and does not count.
    kIgnored,
    /// The Job or the index may fail.
    kFails,
  };
  Then then = Then::kCounts;
  /// Whether a rule of its podFailurePolicy says so.
  bool by_rule = false;
  /// spec.backoffLimit. Where the author names none, the API server stores 6, or 2147483647 if
  /// there is a limit per index (k8s.io/kubernetes/pkg/apis/batch/v1/defaults.go, v1.36.3).
  std::int64_t limit = 6;
  /// spec.backoffLimitPerIndex. It counts besides: a Job fails by either limit (syncJob in
  /// k8s.io/kubernetes/pkg/controller/job/job_controller.go, v1.36.3).
  std::optional<std::int64_t> limit_per_index;
  /// status.failed and status.terminating.
  std::int64_t failed = 0;
  std::int64_t terminating = 0;
};

/// Reads the Job (of batch/v1). The first rule that matches a pod decides. What exit code a pod
/// that is evicted will have nobody knows, so of rules about exit codes that come before that about
/// disruptions, one that fails the Job decides, and one that counts the pod overrules "Ignore"
/// (matchPodFailurePolicy in k8s.io/kubernetes/pkg/controller/job/pod_failure_policy.go, v1.36.3).
JobRetries JobRetriesFromJson(const kube::JsonValue& job);

/// What is to be done about a pod on a node that is to be emptied.
struct Advice {
  enum class What { kMove, kWait, kStay };
  What what = What::kMove;
  /// Why it stays, as the end of a sentence about the pod; empty unless it does.
  std::string why = {};

  friend bool operator==(const Advice&, const Advice&) = default;
};

/// Advises about a pod that is not of its node. `job` is what RunningPod::IsOfJob() tells of; it is
/// null if there is none. `pods` is how many of the Job are evicted together.
///
/// A pod moves if somebody makes it anew and
/// - it has checkpoints (the annotation `checkpoint`, whose full name is given), or a rule of its
///   Job says that pods that are disrupted are retried;
/// - if it is of a Job, the Job has retries left for all `pods`, and the pod's index has one where
///   there is a limit per index. kWait: the Job has them once those that are being ended have
///   ended.
Advice AdviceOn(const RunningPod& pod, const JobRetries* job, std::int64_t pods,
                std::string_view checkpoint_annotation);

/// The same without the question for checkpoints: whether the pod is made anew if it goes with
/// another one. `pods` is how many of its Job go.
Advice AdviceOnRetries(const RunningPod& pod, const JobRetries* job, std::int64_t pods);

}  // namespace berth::controller
