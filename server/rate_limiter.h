#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace berth::server {

/// Lets one event through per interval, and `burst` at once after a time of rest, and counts the
/// others: for messages that repeat. Thread-safe.
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RateLimiter(Clock::duration interval, int burst = 1)
      : interval_(interval), ahead_((burst - 1) * interval) {}

  /// How many events were held back since the last one let through; nothing: hold this one back.
  std::optional<std::uint64_t> Admit(Clock::time_point now = Clock::now());

 private:
  const Clock::duration interval_;
  const Clock::duration ahead_;  // how far a burst may run ahead of its time
  std::mutex mutex_;
  std::optional<Clock::time_point> due_;  // of the next event; nothing before the first
  std::uint64_t held_back_ = 0;
};

}  // namespace berth::server
