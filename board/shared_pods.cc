#include "board/shared_pods.h"

namespace berth::board {

void SharedPods::Tell() {
  const std::lock_guard lock(news_mutex_);
  has_news_ = true;
  news_.notify_all();
}

bool SharedPods::Await(std::chrono::milliseconds time) {
  std::unique_lock lock(news_mutex_);
  news_.wait_for(lock, time, [this] { return has_news_ || stopped_; });
  has_news_ = false;
  return !stopped_;
}

bool SharedPods::Pause(std::chrono::milliseconds time) {
  std::unique_lock lock(news_mutex_);
  return !news_.wait_for(lock, time, [this] { return stopped_; });
}

void SharedPods::Stop() {
  const std::lock_guard lock(news_mutex_);
  stopped_ = true;
  news_.notify_all();
}

}  // namespace berth::board
