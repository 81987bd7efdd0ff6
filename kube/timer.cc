#include "kube/timer.h"

namespace berth::kube {

bool SteadyTimer::Wait(std::chrono::milliseconds duration) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, duration, [this] { return stopped_; });
}

void SteadyTimer::Stop() {
  const std::lock_guard guard(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace berth::kube
