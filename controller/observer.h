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
///   berth_controller_writes_total{write,result}   write: node_label, nudge, secret,
///                                                 ca_bundle, lease_owner
///   berth_controller_lease_errors_total           requests for the Lease that failed
/// Thread-safe.
class Observer final : public LeaderObserver, public WriteObserver {
 public:
  /// `metrics` must outlive this.
  explicit Observer(server::Metrics& metrics);

  void OnLeading(bool leads) override;
  void OnLeader(const std::string& holder) override;
  void OnError(const absl::Status& error) override;
  void OnWritten(Write write, std::string_view object, std::string_view value,
                 const absl::Status& status) override;

 private:
  /// The last is for what is none of the others.
  enum Result { kOk, kGone, kConflict, kForbidden, kFailed, kResults };

  static Result ResultOf(const absl::Status& status);

  std::array<std::array<prometheus::Counter*, kResults>, kWriteKinds>
      writes_{};  // by Write and Result
  prometheus::Counter* lease_errors_;
  server::RateLimiter lease_lines_;
  server::RateLimiter failure_lines_;
};

}  // namespace berth::controller
