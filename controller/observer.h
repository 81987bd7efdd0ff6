#pragma once

#include <prometheus/counter.h>

#include <array>
#include <string>

#include "controller/leader_election.h"
#include "controller/write_observer.h"
#include "server/metrics.h"
#include "server/rate_limiter.h"

namespace berth::controller {

/// Logs and counts what the controller does:
///
///   berth_controller_writes_total{write,result}   write: node_label, nudge, secret, ca_bundle,
///                                                 lease_owner, lost_pod, nomination, gate,
///                                                 gang_condition, gang_eviction, node_taint,
///                                                 pod_group, fault_event, idle_event,
///                                                 idle_eviction, kept; result: ok, gone,
///                                                 conflict, forbidden, failed
///   berth_controller_lease_errors_total           requests for the Lease that failed
///
/// Failures are logged at most once in 10 s; `gone` and `conflict` are not, because they are
/// normal. Thread-safe.
class Observer final : public LeaderObserver, public WriteObserver {
 public:
  /// Registers the series. `metrics` must outlive this.
  explicit Observer(server::Metrics& metrics);

  /// Logs that this controller leads (info), or does not any more (warning).
  void OnLeading(bool leads) override;

  /// Logs the holder.
  void OnLeader(const std::string& holder) override;

  /// Counts the failed request for the Lease, and logs a warning.
  void OnError(const absl::Status& error) override;

  /// Counts the write by its result. Logs a success (only at level debug where there may be
  /// thousands), a failure, and, if the write was forbidden, the right that is missing.
  void OnWritten(Write write, std::string_view object, std::string_view value,
                 const absl::Status& status) override;

 private:
  // Values of the label `result`, and their number: NotFound, Aborted, PermissionDenied, and all
  // other errors.
  enum Result { kOk, kGone, kConflict, kForbidden, kFailed, kResults };

  // Returns the result for the status of a write.
  static Result ResultOf(const absl::Status& status);

  std::array<std::array<prometheus::Counter*, kResults>, kWriteKinds>
      writes_{};  // by Write and Result
  prometheus::Counter* lease_errors_;
  // Failures of the Lease and of writes are limited separately.
  server::RateLimiter lease_lines_;
  server::RateLimiter failure_lines_;
};

}  // namespace berth::controller
