#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cluster/terminating_pods.h"
#include "controller/config.h"
#include "model/cluster_view.h"
#include "model/time.h"

namespace berth::controller {

/// A pod of a Job that somebody has deleted, and that hangs because its node is lost. A plain
/// value.
struct LostPod {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string node;
  /// The Job (of batch) that controls the pod.
  std::string job;

  friend bool operator==(const LostPod&, const LostPod&) = default;
};

/// Returns how many of `pods` should have been gone by `now` and are on nodes that are not Ready.
/// On a node that is Ready, kubelet may still be at it.
std::size_t CountLostPods(const model::ClusterView& view, const cluster::TerminatingPods& pods,
                          model::Time now);

/// Decides which pods on lost nodes the controller ends. A pod is due if
/// - it should have been gone by now, its grace period included;
/// - its node has not been Ready for `forceDeleteAfter`;
/// - the brake is off, and has been for `forceDeleteAfter`.
///
/// The brake is on while more than `maxShare` of all nodes, and more than one node, is not Ready.
/// Then the network between them and the control plane is more likely at fault than the nodes, and
/// their pods run. It is off for a while before anything is due, because nodes come back one after
/// the other. A new plan does not know whether the brake was on, so it begins as if it had just
/// been. With a `maxShare` of 1 there is no brake, and nothing waits for it.
///
/// A node in quarantine is not lost, because it is unknown what it is. Whether the pod's Job wants
/// this is not known here. LostPodDeleter owns the plan. No I/O, no clock. Not thread-safe.
class LostPodsPlan {
 public:
  using Clock = std::chrono::steady_clock;

  /// `config.enabled()` must hold.
  explicit LostPodsPlan(const LostNodesConfig& config) : config_(config) {}

  /// Returns the pods that are due, ascending by "<namespace>/<name>". Call it from time to time,
  /// because the brake is remembered only from one call to the next. `time` is compared with times
  /// in the API, `now` with that of earlier calls.
  std::vector<LostPod> Due(const model::ClusterView& view, const cluster::TerminatingPods& pods,
                           model::Time time, Clock::time_point now);

 private:
  // Whether the brake is on, or was a moment ago.
  bool Brakes(const model::ClusterView& view, Clock::time_point now);

  const LostNodesConfig config_;
  // When the brake was on last, as far as is known; at the first call nothing is.
  std::optional<Clock::time_point> braked_;
};

}  // namespace berth::controller
