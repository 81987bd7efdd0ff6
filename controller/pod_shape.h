#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "controller/fitting_nodes.h"
#include "controller/free_devices.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::controller {

/// Waiting pods that get equal judgements and ask for the same devices, and the nodes that fit
/// them. NudgePlan owns it.
///
///   shape.Judge(view, time, now);          // what has recovered?
///   shape.BeginRound();                    // then, for each pod that has a cause:
///   shape.TakeRecovered(reason, since, now, free);
///
/// In a round, NudgePlan looks for room for one pod of the shape after the other. A node that has
/// no room for one of them has none for any, so each node is looked at once in a round. Not
/// thread-safe.
class PodShape {
 public:
  using Clock = std::chrono::steady_clock;

  /// How long after a recovery it becomes a cause to nudge pods, so that the extenders have seen
  /// it, too.
  static constexpr std::chrono::seconds kDelay{1};

  /// `key` is SchedulingEngine::ShapeOf(pod).
  PodShape(std::string key, std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
           const model::Pod& pod)
      : key_(std::move(key)), nodes_(std::move(engine), pod) {}

  const std::string& key() const { return key_; }
  const FittingNodes& nodes() const { return nodes_; }

  /// See FittingNodes::Judge().
  void Judge(const model::ClusterView& view, model::Time time, Clock::time_point now) {
    nodes_.Judge(view, time, now);
  }

  /// Returns whether a node that was refused for `former` has recovered at `since` or later, but
  /// not within the last kDelay.
  bool HasRecovered(policies::scheduling::ReasonId former, Clock::time_point since,
                    Clock::time_point now) const;

  /// Begins a round: all nodes may be taken again.
  void BeginRound();

  /// Promises devices of a node for which HasRecovered() holds, to one pod of the shape, and
  /// returns the node. Nothing if none has enough free devices. Within a round, `since` may be of
  /// another pod; nodes that were passed over are not looked at again.
  std::optional<model::NodeIndex> TakeRecovered(policies::scheduling::ReasonId former,
                                                Clock::time_point since, Clock::time_point now,
                                                FreeDevices& free);

  /// The same for any node that fits.
  std::optional<model::NodeIndex> TakeFitting(FreeDevices& free);

  /// How many pods have this shape. NudgePlan counts them.
  std::size_t pods = 0;

 private:
  const std::string key_;
  // Where pods of this shape fit.
  FittingNodes nodes_;
  // What the round has not looked at yet: the first recoveries of each reason, by their number, and
  // the nodes from next_node_ on.
  std::map<policies::scheduling::ReasonId, std::size_t> recoveries_;
  model::NodeIndex next_node_ = 0;
};

}  // namespace berth::controller
