#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "kube/lease.h"

namespace berth::extender {

/// Says whether some `berth controller` leads, from what its Lease says whenever somebody reads it.
/// Like client-go it never compares the times in the Lease with a clock of its own, because the
/// clocks of two machines need not agree: a leader is one that has renewed the Lease since it was
/// last read. Thread-safe.
class ControllerLease {
 public:
  using Clock = std::chrono::steady_clock;

  /// The Lease was read at `now`. What it says the first time proves nothing: its holder may have
  /// ended long ago.
  void OnRead(const kube::LeaseRecord& record, Clock::time_point now);

  /// Returns whether the Lease has a holder, and was seen to change less than its own duration
  /// before `now`.
  bool IsHeld(Clock::time_point now) const;

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::optional<kube::LeaseRecord> record_;
  std::optional<Clock::time_point> changed_;
};

}  // namespace berth::extender
