#include "controller/retries.h"

#include <algorithm>

namespace berth::controller {

bool Retries::IsDue(std::string_view key, Clock::time_point now) const {
  const auto found = next_.find(key);
  return found == next_.end() || found->second.time <= now;
}

void Retries::OnTried(std::string_view key, Clock::time_point now) {
  Next& next = next_[std::string(key)];
  next.wait = std::clamp(next.wait * 2, kFirst, kLongest);
  next.time = now + next.wait;
}

void Retries::Prune(Clock::time_point now) {
  std::erase_if(next_, [now](const auto& entry) { return entry.second.time + kLongest < now; });
}

void Retries::ForgetDone(const std::set<std::string>& wanting, Clock::time_point now) {
  std::erase_if(next_, [&](const auto& entry) {
    return entry.second.time <= now && !wanting.contains(entry.first);
  });
}

}  // namespace berth::controller
