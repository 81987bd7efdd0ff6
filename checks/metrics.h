#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "checks/config.h"
#include "server/metrics.h"
#include "server/rate_limiter.h"

namespace berth::checks {

/// What became of a check that was begun, or could not be.
enum class Result {
  kPassed,
  kFailed,
  /// It told nothing about the node.
  kNotRun,
  /// It went because a pod wants the node.
  kYielded,
  /// It was not begun, or told in vain: somebody else writes the condition.
  kStoodBack,
};

/// How many values Result has.
inline constexpr std::size_t kResults = 5;

/// "passed", "failed", "not_run", "yielded" or "stood_back".
std::string_view NameOf(Result result);

/// Counts and logs what becomes of active checks. PreflightMetrics in controller/ does so of the
/// preflights of gangs.
///
///   berth_active_checks_total{check,result}   Result; for the checks of the configuration
///   berth_active_checks_running{check}        those that wait or run now, of the leader
///   berth_active_check_errors_total           requests for them that failed
///
/// Thread-safe.
class Metrics {
 public:
  /// Registers the families. `metrics` must outlive this.
  explicit Metrics(server::Metrics& metrics);

  /// The checks of a configuration: their series begin with 0. Those of former configurations stay.
  void OnConfigured(const std::vector<ActiveCheck>& checks);

  /// A check on `node` has come to its end. `detail` is a few words; may be empty.
  void OnEnded(const std::string& check, const std::string& node, Result result,
               std::string_view detail);

  /// So many checks wait or run.
  void OnRunning(const std::string& check, std::size_t pods);

  /// A request has failed. Logs a line at most once in 10 s.
  void OnError(std::string_view what, const absl::Status& error);

 private:
  prometheus::Family<prometheus::Counter>* ended_;
  prometheus::Family<prometheus::Gauge>* running_;
  prometheus::Counter* errors_;
  server::RateLimiter error_lines_;
};

}  // namespace berth::checks
