#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace berth::server {

/// Lets one event through in each interval and counts the others, for messages that repeat. At the
/// start, and after a pause, up to `burst` events pass at once. Thread-safe.
///
///   static RateLimiter lines(std::chrono::seconds(10));
///   if (const auto held_back = lines.Admit()) {
///     Log(LogLevel::kWarning, "it failed", {{"linesHeldBack", *held_back}});
///   }
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  /// `interval` is the time for one event. `burst` is 1 or more. So many events pass at once again
  /// after a pause of as many intervals.
  explicit RateLimiter(Clock::duration interval, int burst = 1)
      : interval_(interval), ahead_((burst - 1) * interval) {}

  /// Decides on an event at `now`. Returns nothing if the event is to be held back. Else returns
  /// how many events were held back since the last one that passed, often 0.
  std::optional<std::uint64_t> Admit(Clock::time_point now = Clock::now());

 private:
  const Clock::duration interval_;
  const Clock::duration ahead_;  // how far a burst may run ahead of due_
  std::mutex mutex_;
  std::optional<Clock::time_point> due_;  // when the next event is due; nothing before the first
  std::uint64_t held_back_ = 0;
};

}  // namespace berth::server
