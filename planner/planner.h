#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "planner/candidates.h"
#include "planner/config.h"
#include "planner/planned_view.h"
#include "policies/fit/fit.h"
#include "policies/scheduling/engine.h"

namespace berth::planner {

/// A write to the status of a pod.
struct Step {
  std::string namespace_;
  std::string name;
  /// Only the pod of this UID, even if another has its name by now.
  std::string uid;
  /// The node to nominate. Empty: the nomination is withdrawn.
  std::string node;

  friend bool operator==(const Step&, const Step&) = default;
};

/// Decides which waiting pods get which node, of all nodes of the cluster.
///
/// kube-scheduler looks at a sample of the nodes. But if status.nominatedNodeName of a pod names a
/// node, it looks at that one alone, and at the sample only if the pod does not fit there
/// (evaluateNominatedNode in k8s.io/kubernetes/pkg/scheduler/schedule_one.go, v1.36.3). So the plan
/// nominates nodes:
/// - for pods that kube-scheduler has refused although a node fits (rescue), and
/// - for pods that wait behind others (backlog).
///
/// It never promises more than a node has: a nominated pod counts as if it were bound, whoever has
/// nominated it, because kube-scheduler counts it, too, and refuses all pods of a node that was
/// promised too often. A promise of the plan ends when the pod is bound or gone, when somebody else
/// nominates it, when kube-scheduler has withdrawn it, and when its node is no longer fit: then the
/// plan nominates another node, or withdraws. Nominations of others are never changed.
///
/// Pods that need what policies/fit does not know are left to kube-scheduler.
///
/// Tell it of the waiting pods, and call Plan() from time to time. No I/O, no clock. Not
/// thread-safe.
class Planner {
 public:
  using Clock = std::chrono::steady_clock;

  /// How many nominations of the plan stand at once. kube-scheduler copies all nominated pods of
  /// each node that it looks at for another pod.
  static constexpr std::size_t kMaxStanding = 512;
  /// For how long a pod is left alone after kube-scheduler has withdrawn its nomination. It doubles
  /// each time, up to kMaxBackoff.
  static constexpr std::chrono::seconds kBackoff{10};
  static constexpr std::chrono::minutes kMaxBackoff{5};
  /// How long a pod that kube-scheduler has not tried yet waits at least before it is planned.
  static constexpr std::chrono::milliseconds kBacklogAge{200};
  static constexpr std::chrono::seconds kFailedWrite{1};
  /// After this time without an echo of the watch, a write counts as lost.
  static constexpr std::chrono::seconds kLost{10};

  Planner(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine, PlannerConfig config);

  /// A waiting pod, new or changed, as the list-and-watch reports it. A pod that is bound or has
  /// ended is removed.
  void Upsert(const model::Pod& pod, Clock::time_point now);
  /// The pod is gone. Has no effect if it is unknown, or if another pod has its name by now.
  void Remove(const model::Pod& pod);
  /// A full list begins; EndReplace() removes the pods that were not upserted since.
  void BeginReplace() { ++epoch_; }
  void EndReplace();
  /// The pod exists but cannot be read; it waits on as it was last known.
  void Keep(const std::string& namespace_name, const std::string& name);
  /// Whether no pods wait.
  bool empty() const { return waiting_.empty(); }

  /// Returns what to write, in that order, and counts it as written. Steps that could not be
  /// written are taken back by Failed(). The view must have whole pods. `time` is the time for
  /// policies, `now` that of waits.
  std::vector<Step> Plan(const model::ClusterView& view, model::Time time, Clock::time_point now);

  /// The step of the last Plan() was not written. The pod is left alone for kFailedWrite.
  void Failed(const Step& step, Clock::time_point now);

  /// How many pods wait whose needs policies/fit does not know, by what that is.
  const std::map<policies::fit::Unknown, std::size_t>& left_to_scan() const {
    return left_to_scan_;
  }

 private:
  // A node that the plan has nominated.
  struct Promise {
    std::string node;
    Clock::time_point written;
    // Whether the watch has shown it.
    bool seen = false;
  };

  struct Waiting {
    model::Pod pod;
    // Equal for pods that fit the same nodes equally well.
    std::string shape;
    Clock::time_point since;
    std::uint32_t epoch = 0;
    std::optional<Promise> promise;
    // Nominations that kube-scheduler has withdrawn, the last node, and from when on to plan again.
    std::size_t failures = 0;
    std::string failed_node;
    Clock::time_point retry;
  };

  using Entries = std::map<std::string, Waiting>;  // by "<namespace>/<name>"

  // What one Plan() works on.
  struct Round;

  static void Compare(const model::Pod& pod, Waiting& waiting, Clock::time_point now);
  // Books the nominations that stand, and withdraws or replaces those of the plan that are wrong.
  void Confirm(Round& round);
  void Review(Waiting& waiting, Round& round);
  // Nominates nodes for pods that have none.
  void Nominate(Round& round);
  // Whether the pod is planned at all, and the plan has to say something about it now.
  bool IsPlanned(const Waiting& waiting) const;
  // Pods that have no nomination, in the order of kube-scheduler's queue.
  std::vector<Waiting*> Queue(Clock::time_point now);
  Candidates& CandidatesFor(const Waiting& waiting, Round& round) const;

  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_;
  const PlannerConfig config_;
  Entries waiting_;
  std::uint32_t epoch_ = 0;  // counts lists
  std::map<policies::fit::Unknown, std::size_t> left_to_scan_;
};

}  // namespace berth::planner
