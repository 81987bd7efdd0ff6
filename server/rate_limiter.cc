#include "server/rate_limiter.h"

#include <algorithm>
#include <utility>

namespace berth::server {

std::optional<std::uint64_t> RateLimiter::Admit(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (due_ && now < *due_ - ahead_) {
    ++held_back_;
    return std::nullopt;
  }
  due_ = (due_ ? std::max(*due_, now) : now) + interval_;
  return std::exchange(held_back_, 0);
}

}  // namespace berth::server
