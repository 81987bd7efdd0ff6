#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace berth::controller {

/// Says when each of many things may be tried again: after a wait that doubles from one try to the
/// next, from kFirst to kLongest. It makes no difference whether a try worked, because the caller
/// asks again only until it sees the effect. Who changes the same things often by right says with
/// OnDone() that it has seen it. Not thread-safe.
///
///   for (const std::string& node : nodes_that_need_something) {
///     if (!retries.IsDue(node, now)) continue;
///     Try(node);
///     retries.OnTried(node, now);
///   }
///   retries.Prune(now);
class Retries {
 public:
  using Clock = std::chrono::steady_clock;

  /// The wait after the first try, and the longest one.
  static constexpr std::chrono::seconds kFirst{2};
  static constexpr std::chrono::seconds kLongest{300};

  /// Returns whether `key` may be tried at `now`: it never was, or the wait is over.
  bool IsDue(std::string_view key, Clock::time_point now) const { return DueAt(key) <= now; }
  /// Returns when the wait of `key` is over; Clock::time_point::min() if it was never tried.
  Clock::time_point DueAt(std::string_view key) const;

  /// Records a try of `key`, and doubles its wait.
  void OnTried(std::string_view key, Clock::time_point now);

  /// The last try of `key` has had its effect: it may be tried again kFirst after that try, and the
  /// wait after its next try is kFirst again.
  void OnDone(std::string_view key);

  /// Forgets the things that were due for kLongest and not tried: they are as they should be, or
  /// gone. Call it from time to time.
  void Prune(Clock::time_point now);

  /// Returns how many things are remembered: for tests.
  std::size_t size() const { return next_.size(); }

 private:
  // When a thing may be tried again, and the wait that leads to it.
  struct Next {
    Clock::time_point time;
    std::chrono::seconds wait{0};
  };
  std::map<std::string, Next, std::less<>> next_;
};

/// The key of a try to set something of a node (`sets`), or to undo that. They are two things, so
/// that what was set a moment ago is undone at once, and not after its wait.
inline std::string RetryKey(const std::string& node, bool sets) { return sets ? node : node + "-"; }

}  // namespace berth::controller
