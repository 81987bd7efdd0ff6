#pragma once

#include <prometheus/family.h>
#include <prometheus/histogram.h>

#include "controller/fault_watch.h"
#include "policies/scheduling/health_config.h"
#include "server/metrics.h"

namespace berth::controller {

/// Measures how soon faults have their effects, from when the condition says that they began:
///
///   berth_fault_exclusion_delay_seconds{condition}   to the exclusion of the node
///   berth_fault_vacated_delay_seconds{condition}     until no pod held a device of it any more
///   berth_fault_return_delay_seconds{condition}      until the condition excluded it no more
///
/// Thread-safe.
class FaultMetrics {
 public:
  /// Registers the families. `metrics` must outlive this.
  explicit FaultMetrics(server::Metrics& metrics);

  /// Adds the series of all conditions that may exclude a node, so that a rate sees the first
  /// fault.
  void Expect(const policies::scheduling::HealthConfig& health);

  /// Counts the change, unless nobody knows when its fault began.
  void OnChange(const FaultChange& change);

 private:
  prometheus::Family<prometheus::Histogram>* excluded_;
  prometheus::Family<prometheus::Histogram>* vacated_;
  prometheus::Family<prometheus::Histogram>* returned_;
};

}  // namespace berth::controller
