#pragma once

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/metrics.h"
#include "usage/idle.h"

namespace berth::controller {

/// Exports what was found idle last:
///
///   berth_idle_devices{creator,namespace,accelerator}   devices that are held and not used
///   berth_idle_unjudged_devices{accelerator,reason}     devices that are held and were not judged:
///                                                       no_data, young
///   berth_idle_errors_total                             failed attempts to ask Prometheus
///
/// Only the leader knows; in all others the gauges have no series. Thread-safe.
class IdleMetrics {
 public:
  /// How many series of idle devices there are, of the most. All others together have one more for
  /// each accelerator; see usage::Greatest().
  static constexpr std::size_t kMostUsers = 1000;

  /// Registers the families. `metrics` must outlive this.
  explicit IdleMetrics(server::Metrics& metrics);

  /// Exports these instead of what was found before.
  void Set(const std::vector<usage::PodUse>& uses);
  /// Exports nothing.
  void Clear();
  void OnError();

 private:
  // Shared with the metrics, which may be scraped while this object is destroyed.
  class Found;

  const std::shared_ptr<Found> found_;
  prometheus::Counter* errors_;
};

}  // namespace berth::controller
