#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "planner/planned_view.h"
#include "policies/fit/eviction.h"
#include "policies/scheduling/engine.h"
#include "policies/scheduling/reason.h"

namespace berth::planner {

/// The nodes on which evicting pods of lower priority makes room for a pod.
///
///   const Evictions evictions(engine, pod, view, now);
///   const auto node = evictions.Best();  // kube-scheduler evicts there, if it is nominated
///
/// A node is one of them if kube-scheduler's filters let the pod run there once the victims are
/// gone (policies/fit), and no policy of Berth's refuses it. `engine`, `pod` and `view` must
/// outlive this. Not thread-safe.
class Evictions {
 public:
  /// How many such nodes Best() compares. kube-scheduler compares a hundred, too, or a tenth of
  /// them (minCandidateNodesAbsolute and minCandidateNodesPercentage of DefaultPreemptionArgs in
  /// k8s.io/kubernetes/pkg/scheduler/apis/config/v1/defaults.go, v1.36.3).
  static constexpr std::size_t kMostCompared = 100;

  Evictions(const policies::scheduling::SchedulingEngine& engine, const model::Pod& pod,
            const PlannedView& view, model::Time now)
      : pod_(pod), view_(view), prepared_(engine.Prepare(pod, view, now)) {}

  /// Whether it is such a node.
  bool Helps(model::NodeIndex node) const { return Judge(node).has_value(); }

  /// Returns the one on which the least is evicted, by policies::fit::Eviction; of equal ones, that
  /// with the lowest index. `avoided` is taken only if there is no other. Nodes with bookings are
  /// left out: kube-scheduler counts this pod's nomination, too, and would refuse the pods that are
  /// booked there, and while it evicts pods there for another one, it evicts none for this one.
  std::optional<model::NodeIndex> Best(std::optional<model::NodeIndex> avoided = {}) const;

 private:
  std::optional<policies::fit::Eviction> Judge(model::NodeIndex index) const;

  const model::Pod& pod_;
  const PlannedView& view_;
  const policies::scheduling::PreparedPod prepared_;
};

/// Whether kube-scheduler reports one of Berth's reasons, in the message of the condition
/// PodScheduled. Then its own filters had let enough nodes pass, and it has not looked at the
/// others. And it tries the pod again if a node is nominated: for a pod that an extender refused,
/// every event counts (isPodWorthRequeuing in
/// k8s.io/kubernetes/pkg/scheduler/backend/queue/scheduling_queue.go, v1.36.3).
bool NamesReason(std::string_view message, const policies::scheduling::ReasonTable& reasons);

}  // namespace berth::planner
