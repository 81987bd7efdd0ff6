#include "extender/decision_broker.h"

#include <absl/status/status.h>

#include <utility>

namespace berth::extender {

std::optional<DecisionBroker::Delivery> DecisionBroker::Watcher::Take() {
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  Delivery delivery{std::move(queue_.front()), std::exchange(lost_, 0)};
  queue_.pop_front();
  return delivery;
}

bool DecisionBroker::Watcher::Closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

void DecisionBroker::Watcher::Push(const Decision& decision) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() == max_queued_) {
      queue_.pop_front();
      ++lost_;
    }
    queue_.push_back(decision);
  }
  wake_();
}

void DecisionBroker::Watcher::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake_();
}

absl::StatusOr<std::shared_ptr<DecisionBroker::Watcher>> DecisionBroker::Watch(
    std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  if (closed_) return absl::UnavailableError("the server is shutting down; watch again");
  std::erase_if(watchers_, [](const auto& watcher) { return watcher.expired(); });
  if (watchers_.size() >= options_.max_watchers) {
    return absl::ResourceExhaustedError("the maximum number of clients already watch decisions");
  }
  const std::shared_ptr<Watcher> watcher(new Watcher(options_.max_queued, std::move(wake)));
  watchers_.push_back(watcher);
  watched_ = true;
  return watcher;
}

std::vector<std::shared_ptr<DecisionBroker::Watcher>> DecisionBroker::Watchers() {
  std::vector<std::shared_ptr<Watcher>> watchers;
  const std::lock_guard lock(mutex_);
  for (const auto& each : watchers_) {
    if (auto watcher = each.lock()) watchers.push_back(std::move(watcher));
  }
  watched_ = !watchers.empty();
  return watchers;
}

void DecisionBroker::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  for (const auto& watcher : Watchers()) watcher->Close();
}

bool DecisionBroker::Wants() { return watched_ && !Watchers().empty(); }

void DecisionBroker::OnDecision(const Decision& decision) {
  for (const auto& watcher : Watchers()) watcher->Push(decision);
}

}  // namespace berth::extender
