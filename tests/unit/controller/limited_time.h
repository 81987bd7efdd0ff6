#pragma once

#include <chrono>
#include <functional>
#include <mutex>

#include "kube/timer.h"

namespace berth::controller {

/// Time that passes only while somebody waits, until a given moment. One thread waits, and alone
/// touches the members; others may ask for Now() meanwhile.
class LimitedTime final : public kube::Timer {
 public:
  Clock::time_point Now() const override {
    const std::lock_guard lock(mutex_);
    return now;
  }
  bool Wait(std::chrono::milliseconds duration) override {
    {
      const std::lock_guard lock(mutex_);
      now += duration;
    }
    if (on_wait) on_wait();
    return now < end;
  }
  void Stop() override { end = now; }

  Clock::time_point now{std::chrono::seconds(1000)};
  Clock::time_point end = now + std::chrono::seconds(1);
  std::function<void()> on_wait;

 private:
  mutable std::mutex mutex_;
};

}  // namespace berth::controller
