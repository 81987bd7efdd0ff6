#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <ratio>

namespace berth::planner {

/// How much may be done in a time: at most so much at once, and as much again in each minute.
///
/// Not thread-safe.
class Allowance {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Allowance(std::size_t a_minute)
      : a_minute_(static_cast<double>(a_minute)), left_(a_minute_) {}

  /// Whether anything may be done. Then `count` is taken, even if that is more than is left: the
  /// rest is missing later.
  bool Take(std::size_t count, Clock::time_point now) {
    const std::chrono::duration<double, std::ratio<60>> passed = now - last_.value_or(now);
    left_ = std::min(a_minute_, left_ + passed.count() * a_minute_);
    last_ = now;
    if (left_ < 1) return false;
    left_ -= static_cast<double>(count);
    return true;
  }

 private:
  double a_minute_;
  double left_;
  std::optional<Clock::time_point> last_ = {};
};

}  // namespace berth::planner
