#include "kube/waiter.h"

namespace berth::kube {

bool RealWaiter::Wait(std::chrono::milliseconds duration) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, duration, [this] { return stopped_; });
}

void RealWaiter::Stop() {
  const std::lock_guard guard(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace berth::kube
