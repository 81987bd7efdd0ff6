#pragma once

#include <prometheus/counter.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/snapshot.h"
#include "extender/wire.h"
#include "model/time.h"
#include "server/metrics.h"
#include "server/rate_limiter.h"

namespace berth::extender {

/// Has pods with a fresh checkpoint preempted before others, as far as kube-scheduler's own order
/// leaves the choice: an extender may leave candidates out, and no more. Thread-safe.
///
/// A node is preferred if each of its victims says, by the annotation `checkpointed-at`, that it
/// wrote a checkpoint at most kFresh ago. Another node is left out if a preferred one is no worse
/// by what kube-scheduler compares first (pickOneNodeForPreemption in
/// k8s.io/kubernetes/pkg/scheduler/framework/preemption/preemption.go, v1.36.3):
/// - it violates no more PodDisruptionBudgets;
/// - its victims have no higher priority;
/// - it has no more victims, which kube-scheduler compares later.
///
/// The priorities of victims without the annotation are not known; it is assumed that
/// kube-scheduler evicts the pods of the lowest priority on the node.
class VictimChoice {
 public:
  /// A checkpoint that is older is not fresh.
  static constexpr model::Duration kFresh = std::chrono::minutes(15);
  /// By so much the clock of a pod's node may be ahead. A time beyond that counts as none.
  static constexpr model::Duration kAhead = std::chrono::minutes(1);

  /// What a victim's annotation says.
  enum State { kIsFresh, kIsOld, kIsAbsent, kIsUnreadable, kIsInTheFuture, kStates };

  /// Registers the series
  ///
  ///   berth_preemption_victims_total{checkpoint}   victims that were offered, by what they say:
  ///                                                fresh, old, none, unreadable, future
  ///   berth_preemption_nodes_spared_total          candidates that were left out
  ///
  /// `metrics` must outlive this.
  explicit VictimChoice(server::Metrics& metrics);

  /// Returns the candidates that are not left out, in their order and unchanged. Every candidate
  /// must have victims. Logs, at most once in ten seconds, a victim whose annotation is no time or
  /// in the future.
  std::vector<NodeVictims> Choose(std::vector<NodeVictims> candidates,
                                  const cluster::Snapshot::Reader& reader, model::Time now);

 private:
  // How a candidate compares.
  struct Cost {
    bool fresh = true;
    std::int64_t violations = 0;
    // The highest priority of a victim, at least.
    std::int64_t priority = 0;
    std::size_t victims = 0;
    bool known = true;
  };

  // Which of the candidates are left out, by their index.
  static std::vector<bool> Spared(const std::vector<Cost>& costs);
  Cost CostOf(const NodeVictims& node, const cluster::Snapshot::Reader& reader, model::Time now);
  State StateOf(const cluster::CheckpointTimes::Record* record, model::Time now);

  std::array<prometheus::Counter*, kStates> victims_{};
  prometheus::Counter* spared_;
  server::RateLimiter lines_;
};

}  // namespace berth::extender
