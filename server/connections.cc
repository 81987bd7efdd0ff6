#include "server/connections.h"

#include <utility>

namespace berth::server {

void Connections::Add(const void* connection, std::function<void()> wake_up) {
  const std::lock_guard lock(mutex_);
  open_.emplace(connection, std::move(wake_up));
}

void Connections::Remove(const void* connection) {
  const std::lock_guard lock(mutex_);
  open_.erase(connection);
  if (open_.empty()) none_.notify_all();
}

std::size_t Connections::Count() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

void Connections::WakeAll() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [connection, wake_up] : open_) wake_up();
}

bool Connections::WaitUntilNone(std::chrono::steady_clock::time_point deadline) const {
  std::unique_lock lock(mutex_);
  return none_.wait_until(lock, deadline, [this] { return open_.empty(); });
}

}  // namespace berth::server
