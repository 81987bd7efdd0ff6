#pragma once

#include <prometheus/collectable.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/snapshot.h"
#include "model/accelerator.h"
#include "model/time.h"
#include "placement/breaker_log.h"
#include "policies/scheduling/config.h"
#include "policies/scheduling/health_config.h"

namespace berth::placement {

/// The state of the cluster as gauges, computed from the snapshot whenever they are scraped:
///   berth_nodes{accelerator}                          nodes; accelerator "none" for the rest
///   berth_nodes_tainted{accelerator}                  nodes that have Berth's taint
///   berth_nodes_by_condition{condition,resources,effect}
///   berth_node_excluded_devices{node,accelerator,condition,resources}
///                                                     only nodes that a condition excludes now;
///                                                     see policies::scheduling::Exclusions
///   berth_node_excluded_since_seconds{the same}       when the fault began, Unix time
///   berth_node_exclusions_omitted                     excluded nodes beyond kMostExclusions
///   berth_breaker_tripped{accelerator,condition}      1 while tripped, else 0
///   berth_accelerator_devices{accelerator,state}      total (capacity), used (requested by bound
///                                                     pods), free (allocatable minus used)
///   berth_devices_in_use{creator,namespace,accelerator}
///                                                     devices that bound pods request, by who
///                                                     created the pods; see
///                                                     usage::CountDevicesInUse
///   berth_snapshot_synced                             1 once nodes and pods were listed
///   berth_snapshot_age_seconds{kind}                  time since the view was last complete
///   berth_quarantined_objects{kind}                   objects that exist and cannot be read
/// Thread-safe.
class ClusterMetrics : public prometheus::Collectable {
 public:
  /// How many excluded nodes have series of their own, those that are excluded the longest: a
  /// detector that errs everywhere must not take the monitoring down.
  static constexpr std::size_t kMostExclusions = 1000;

  /// How many series of devices in use there are, of those who hold the most: there may be as many
  /// creators as pods. All others together have one more for each accelerator.
  static constexpr std::size_t kMostUsers = 1000;

  /// `mode` is that of the policy health: in Observe nodes are counted by condition, and none is
  /// excluded. `taint` is the key of Berth's taint, which the snapshot must keep. `now` is the time
  /// by which conditions are judged, as for the engine. `snapshot` and `breaker_log` must outlive
  /// this object.
  ClusterMetrics(const cluster::Snapshot& snapshot, policies::scheduling::HealthConfig health,
                 policies::scheduling::Mode mode, std::string taint,
                 std::function<model::Time()> now, BreakerLog& breaker_log);

  /// Called at each scrape, on the thread that serves it. Holds the snapshot's read lock while it
  /// counts. Afterwards passes all breakers to the BreakerLog, so a breaker's change is logged at
  /// the next scrape.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const cluster::Snapshot& snapshot_;
  // The conditions to count, and the breaker's settings.
  const policies::scheduling::HealthConfig health_;
  const policies::scheduling::Mode mode_;
  const std::string taint_;
  const std::function<model::Time()> now_;
  // Gets all breakers at each scrape.
  BreakerLog& breaker_log_;
};

}  // namespace berth::placement
