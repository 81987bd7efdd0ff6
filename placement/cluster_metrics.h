#pragma once

#include <prometheus/collectable.h>

#include <functional>
#include <memory>
#include <vector>

#include "cluster/snapshot.h"
#include "model/accelerator.h"
#include "model/time.h"
#include "placement/breaker_log.h"
#include "policies/scheduling/health.h"

namespace berth::placement {

/// The cluster in numbers, worked out from the snapshot when they are asked for:
///   berth_nodes{accelerator}                          nodes; accelerator "none" for the rest
///   berth_nodes_by_condition{condition,resources,effect}
///   berth_breaker_tripped{accelerator,condition}      1 while it is tripped; a change is logged
///   berth_accelerator_devices{accelerator,state}      total (capacity), used (asked for by bound
///                                                     pods), free (allocatable less used)
///   berth_snapshot_synced                             1 once nodes and pods were listed
///   berth_snapshot_age_seconds{kind}                  since the API server was last heard of
///   berth_quarantined_objects{kind}                   that are there and cannot be read
/// Thread-safe.
class ClusterMetrics : public prometheus::Collectable {
 public:
  /// `snapshot` and `breaker_log`, which is told of all breakers, must outlive this. `now` tells
  /// conditions' time, as for the engine.
  ClusterMetrics(const cluster::Snapshot& snapshot, policies::scheduling::HealthConfig health,
                 std::function<model::Time()> now, BreakerLog& breaker_log);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const cluster::Snapshot& snapshot_;
  const policies::scheduling::HealthConfig health_;
  const std::function<model::Time()> now_;
  BreakerLog& breaker_log_;
};

}  // namespace berth::placement
