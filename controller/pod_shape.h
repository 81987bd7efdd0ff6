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

/// Waiting pods that get equal judgements and ask for the same devices, and where they fit. A node
/// without room for one of them has none for any, so that in a round of looking for room each node
/// is looked at once. Not thread-safe.
class PodShape {
 public:
  using Clock = std::chrono::steady_clock;

  /// From a recovery until it is a cause to nudge pods: the extenders are to see it, too.
  static constexpr std::chrono::seconds kDelay{1};

  /// `key` is SchedulingEngine::ShapeOf(pod).
  PodShape(std::string key, std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
           const model::Pod& pod)
      : key_(std::move(key)), nodes_(std::move(engine), pod) {}

  const std::string& key() const { return key_; }
  const FittingNodes& nodes() const { return nodes_; }

  /// FittingNodes::Judge().
  void Judge(const model::ClusterView& view, model::Time time, Clock::time_point now) {
    nodes_.Judge(view, time, now);
  }

  /// Whether a node that was refused for `former` has recovered at `since` or later, long enough
  /// ago.
  bool HasRecovered(policies::scheduling::ReasonId former, Clock::time_point since,
                    Clock::time_point now) const;

  void BeginRound();

  /// Promises devices of such a node to a pod; nothing: none has enough.
  std::optional<model::NodeIndex> TakeRecovered(policies::scheduling::ReasonId former,
                                                Clock::time_point since, Clock::time_point now,
                                                FreeDevices& free);

  /// The same of any node that fits.
  std::optional<model::NodeIndex> TakeFitting(FreeDevices& free);

  /// How many pods are of this shape; whoever uses it counts them.
  std::size_t pods = 0;

 private:
  const std::string key_;
  FittingNodes nodes_;
  // What the round has still to look at: so many of the first recoveries, and nodes from here on.
  std::map<policies::scheduling::ReasonId, std::size_t> recoveries_;
  model::NodeIndex next_node_ = 0;
};

}  // namespace berth::controller
