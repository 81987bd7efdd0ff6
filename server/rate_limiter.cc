#include "server/rate_limiter.h"

#include <utility>

namespace berth::server {

std::optional<std::uint64_t> RateLimiter::Admit(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (last_ && now - *last_ < interval_) {
    ++held_back_;
    return std::nullopt;
  }
  last_ = now;
  return std::exchange(held_back_, 0);
}

}  // namespace berth::server
