#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace berth::kube {

/// The clock and the waits of a list-and-watch. Production uses SteadyTimer. Tests replace it, so
/// that they need not sleep, and can let virtual time pass.
class Timer {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Timer() = default;

  /// The present time of a clock that never goes back.
  virtual Clock::time_point Now() const = 0;

  /// Blocks for `duration` and returns true. After Stop(), it returns false at once, now and for
  /// ever.
  virtual bool Wait(std::chrono::milliseconds duration) = 0;

  /// Ends the present Wait() and all later ones. From any thread.
  virtual void Stop() = 0;
};

/// The real time. All functions are thread-safe.
class SteadyTimer final : public Timer {
 public:
  Clock::time_point Now() const override { return Clock::now(); }
  bool Wait(std::chrono::milliseconds duration) override;
  void Stop() override;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  /// Guarded by mutex_.
  bool stopped_ = false;
};

}  // namespace berth::kube
