#include "controller/retries.h"

#include <algorithm>

namespace berth::controller {

Retries::Clock::time_point Retries::DueAt(std::string_view key) const {
  const auto found = next_.find(key);
  return found == next_.end() ? Clock::time_point::min() : found->second.time;
}

void Retries::OnTried(std::string_view key, Clock::time_point now) {
  Next& next = next_[std::string(key)];
  next.wait = std::clamp(next.wait * 2, kFirst, kLongest);
  next.time = now + next.wait;
}

void Retries::OnDone(std::string_view key) {
  const auto found = next_.find(key);
  if (found == next_.end()) return;
  Next& next = found->second;
  next.time -= std::max(next.wait, kFirst) - kFirst;
  next.wait = std::chrono::seconds(0);
}

void Retries::Prune(Clock::time_point now) {
  std::erase_if(next_, [now](const auto& entry) { return entry.second.time + kLongest < now; });
}

}  // namespace berth::controller
