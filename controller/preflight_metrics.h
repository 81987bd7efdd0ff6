#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>

#include <array>
#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "planner/preflight.h"
#include "server/metrics.h"
#include "server/rate_limiter.h"

namespace berth::controller {

/// Counts and logs what becomes of the preflights of gangs:
///
///   berth_gang_preflights_total{result}   those that have ended, by planner::PreflightResult
///   berth_gang_preflights_running         those that run now, of the leader
///   berth_gang_preflight_errors_total     requests for them that failed
///
/// Thread-safe.
class PreflightMetrics {
 public:
  /// Registers the series. `metrics` must outlive this.
  explicit PreflightMetrics(server::Metrics& metrics);

  /// A preflight has come to its end.
  void OnEnded(const planner::Preflights::Ended& ended);
  /// The condition of a node at fault is written, or cannot be: somebody else writes it, or the
  /// node is gone.
  void OnFault(const planner::Preflights::Fault& fault, const absl::Status& status);
  /// So many run.
  void OnRunning(std::size_t preflights);
  /// A request has failed. Logs a line at most once in 10 s.
  void OnError(std::string_view what, const absl::Status& error);

 private:
  std::array<prometheus::Counter*, planner::kPreflightResults> ended_{};
  prometheus::Gauge* running_;
  prometheus::Counter* errors_;
  server::RateLimiter error_lines_;
};

}  // namespace berth::controller
