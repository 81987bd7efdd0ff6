#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace berth::kube {

/// Time as list-and-watch sees it: a seam, so that tests need not sleep.
class Timer {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Timer() = default;

  virtual Clock::time_point Now() const = 0;

  /// Blocks that long. False at once and for ever after Stop().
  virtual bool Wait(std::chrono::milliseconds duration) = 0;

  /// May be called from any thread.
  virtual void Stop() = 0;
};

/// Real time. Thread-safe.
class SteadyTimer final : public Timer {
 public:
  Clock::time_point Now() const override { return Clock::now(); }
  bool Wait(std::chrono::milliseconds duration) override;
  void Stop() override;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
};

}  // namespace berth::kube
