#include "server/connections.h"

#include <iterator>
#include <utility>

namespace berth::server {

void Connections::Add(const void* connection, Orders orders) {
  const std::lock_guard lock(mutex_);
  silent_.push_back({connection, std::move(orders)});
  open_.emplace(connection, Place{&silent_, std::prev(silent_.end())});
}

void Connections::Remove(const void* connection) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(connection);
  if (found == open_.end()) return;
  const auto [line, member] = found->second;
  line->erase(member);
  open_.erase(found);
  if (open_.empty()) none_.notify_all();
}

void Connections::Asked(const void* connection) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(connection);
  if (found == open_.end() || found->second.line == &making_way_) return;
  Move(found->second, asked_);
}

std::size_t Connections::Count() const {
  const std::lock_guard lock(mutex_);
  return silent_.size() + asked_.size();
}

bool Connections::CutOne() {
  const std::lock_guard lock(mutex_);
  const Line& line = silent_.empty() ? asked_ : silent_;
  if (line.empty() || making_way_.size() >= kMostMakingWay) return false;
  const Member& first = line.front();
  first.orders.cut();
  Move(open_.at(first.connection), making_way_);
  return true;
}

void Connections::WakeAll() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [connection, place] : open_) place.member->orders.wake_up();
}

bool Connections::WaitUntilNone(std::chrono::steady_clock::time_point deadline) const {
  std::unique_lock lock(mutex_);
  return none_.wait_until(lock, deadline, [this] { return open_.empty(); });
}

void Connections::Move(Place& place, Line& line) {
  line.splice(line.end(), *place.line, place.member);
  place.line = &line;
}

}  // namespace berth::server
