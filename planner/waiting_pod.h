#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "model/pod.h"
#include "planner/state.h"

namespace berth::planner {

/// A pod that waits for a node, and what became of the nominations that the plan has made for it.
/// Planner owns it. Not thread-safe.
///
/// A nomination is written, shown by the watch, and then stands until
/// - kube-scheduler clears it, which it does after nearly every try in vain,
/// - kube-scheduler has tried the pod in vain and let it stand: that of a pod that may not preempt,
///   or whose preemption an extender vetoes (where Preempt() returns a nil PostFilterResult in
///   k8s.io/kubernetes/pkg/scheduler/framework/preemption/preemption.go, v1.36.3), or
/// - the plan replaces or withdraws it.
///
/// A nomination for which kube-scheduler has to evict pods first ends, too, when kube-scheduler
/// does so, and after kUnanswered if it does not.
///
/// kube-scheduler writes nothing if it refuses a pod in the words of the last time and lets the
/// nomination stand (updatePod in k8s.io/kubernetes/pkg/scheduler/schedule_one.go, v1.36.3). So one
/// that it would let stand counts as tried after some time: kUnanswered, or kUnansweredIfBusy.
class WaitingPod {
 public:
  using Clock = std::chrono::steady_clock;

  /// For how long a pod is left alone after kube-scheduler did not take the node that was
  /// nominated. It doubles each time, up to kMaxBackoff.
  static constexpr std::chrono::seconds kBackoff{10};
  static constexpr std::chrono::minutes kMaxBackoff{5};
  /// After this time without an echo of the watch, a write counts as lost.
  static constexpr std::chrono::seconds kLost{10};
  /// How long a nomination stands for which kube-scheduler has to evict pods first, and one that it
  /// would let stand after a try in vain while it has no new pods to try: then it tries those that
  /// back off at once (SchedulerPopFromBackoffQ, on since Kubernetes 1.33). Autoscalers take the
  /// pod for placed meanwhile.
  static constexpr std::chrono::seconds kUnanswered{8};
  /// The latter while it has new pods to try. Longer than a pod backs off: 60 s at most in the
  /// chart.
  static constexpr std::chrono::seconds kUnansweredIfBusy{70};
  /// How long a pod is left alone after a write that failed.
  static constexpr std::chrono::seconds kRetry{1};

  /// `annotation` is the one in which the plan says which nomination is its own, by its full name.
  /// It must outlive this.
  WaitingPod(const std::string* annotation, Clock::time_point now)
      : annotation_(annotation), since_(now) {}

  /// The pod is now as given. Returns how the nomination of the plan has ended, if it has.
  std::optional<Outcome> Update(const model::Pod& pod, Clock::time_point now);

  /// Gives a write up that had no echo, and a nomination of which nothing came, and takes one over
  /// that an earlier controller has written. Call it before each plan. `busy`: when kube-scheduler
  /// last had pods that it had not tried.
  void Settle(Clock::time_point now, Clock::time_point busy);

  /// The plan has nominated the node, or has withdrawn its nomination if `node` is empty. `evicts`:
  /// kube-scheduler has to evict pods there first.
  void OnWritten(const std::string& node, Clock::time_point now, bool evicts = false);
  /// The nominated node fits without evictions by now.
  void OnFits() {
    if (promise_) promise_->evicts = false;
  }
  /// What OnWritten() recorded was not written.
  void OnFailed();

  /// Whether the plan has nominated the node, or withdrawn if it is empty, and the watch has not
  /// shown it.
  bool IsWriting(const std::string& node) const {
    return promise_ && !promise_->seen && promise_->node == node;
  }

  const model::Pod& pod() const { return pod_; }

  /// The node that is nominated, by whomever, once all that was written is seen. Empty: none.
  const std::string& Node() const;
  /// Whether the plan has nominated it.
  bool IsOurs() const { return promise_ && !promise_->node.empty(); }
  /// Whether it has, and the watch has shown that.
  bool Stands() const { return IsOurs() && promise_->seen; }
  /// Whether it has, and kube-scheduler has to evict pods there first.
  bool AwaitsEviction() const { return IsOurs() && promise_->evicts; }
  /// Whether the plan has withdrawn its nomination, and the watch has not shown it.
  bool IsWithdrawn() const { return promise_ && promise_->node.empty(); }
  /// Whether somebody else has nominated a node for it.
  bool IsNominatedByOther() const { return !IsOurs() && !IsWithdrawn() && !Node().empty(); }
  /// Whether kube-scheduler has tried the pod in vain and let the plan's nomination stand.
  bool HasFailed() const { return IsOurs() && promise_->node == failed_node_; }
  bool IsBackingOff(Clock::time_point now) const { return now < retry_; }

  /// Whether kube-scheduler has found no node for it.
  bool IsRefused() const { return !pod_.unschedulable.empty(); }
  /// Whether it has looked for pods to evict for it, too, among the nodes of its sample, and
  /// evicted none. It does not look for a pod with the preemptionPolicy Never.
  bool FoundNoVictims() const;
  /// Whether kube-scheduler evicts pods for it, or for its PodGroup.
  bool IsEvicting() const;
  Clock::time_point since() const { return since_; }
  std::size_t failures() const { return failures_; }
  /// The last node that kube-scheduler did not take. Empty: none.
  const std::string& failed_node() const { return failed_node_; }

 private:
  // A node that the plan has nominated; empty if it has withdrawn its nomination.
  struct Promise {
    std::string node;
    Clock::time_point written;
    // Whether the watch has shown it.
    bool seen = false;
    // pod.unschedulable when the nomination was made.
    std::string message;
    // Whether kube-scheduler has to evict pods there first.
    bool evicts = false;
  };

  // Whether the pod as given has a nomination that the plan has written, now or earlier.
  bool IsWrittenByPlan(const model::Pod& pod) const;
  // The watch shows the pod with what the plan has written.
  std::optional<Outcome> OnEcho(const model::Pod& pod, Clock::time_point now);
  // Whether kube-scheduler should have done by now what the nomination was for.
  bool IsOverdue(Clock::time_point now, Clock::time_point busy) const;
  // What the plan has written last was not written.
  void Revert();
  // kube-scheduler did not take the node.
  void BackOff(Clock::time_point now);

  const std::string* annotation_;
  Clock::time_point since_;
  model::Pod pod_;
  std::optional<Promise> promise_;
  std::size_t failures_ = 0;
  std::string failed_node_;
  Clock::time_point retry_{};
};

}  // namespace berth::planner
