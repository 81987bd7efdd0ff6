#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace berth::controller {

/// When each of many things may be tried again: after a wait that doubles from one try to the next.
/// A try that worked counts too, until its effect is seen. Not thread-safe.
class Retries {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds kFirst{2};
  static constexpr std::chrono::seconds kLongest{300};

  bool IsDue(std::string_view key, Clock::time_point now) const;

  void OnTried(std::string_view key, Clock::time_point now);

  /// Forgets what was not tried for twice the longest wait: it is as it should be, or gone.
  void Prune(Clock::time_point now);

  std::size_t size() const { return next_.size(); }

 private:
  struct Next {
    Clock::time_point time;
    std::chrono::seconds wait{0};
  };
  std::map<std::string, Next, std::less<>> next_;
};

}  // namespace berth::controller
