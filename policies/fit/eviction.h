#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "model/cluster_view.h"
#include "model/pod.h"

// What kube-scheduler would evict from a node to make room for a pod. The planner asks which node
// is best for it.

namespace berth::policies::fit {

/// The victims on one node. kube-scheduler prefers the node where this is the least
/// (pickOneNodeForPreemption in k8s.io/kubernetes/pkg/scheduler/framework/preemption/preemption.go,
/// v1.36.3). It looks at PodDisruptionBudgets before, and at the victims' age afterwards, which are
/// not known here. A plain value.
struct Eviction {
  /// The highest priority of the victims.
  std::int32_t highest = 0;
  /// The sum of their priorities, each counted from the lowest possible one, so that fewer victims
  /// of equal priority make a lesser sum.
  std::int64_t sum = 0;

  friend auto operator<=>(const Eviction&, const Eviction&) = default;
};

/// Whether pods of lower priority are bound to the node. Cheap; only in a view of whole pods.
bool HasVictims(const model::Pod& pod, const model::NodeState& node);

/// Returns what kube-scheduler would evict so that the node has room for the pod: of the pods of
/// lower priority it spares as many as it can, those of the highest priority first
/// (SelectVictimsOnNode in k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption/
/// default_preemption.go, v1.36.3). Among equal ones it spares those that run the longest, which
/// are those that the view has known the longest. Nothing if no eviction makes room, or if none is
/// needed. The view must have whole pods. No I/O, no clock; thread-safe.
std::optional<Eviction> JudgeEviction(const model::Pod& pod, const model::NodeState& node);

}  // namespace berth::policies::fit
