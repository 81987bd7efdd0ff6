#pragma once

#include "admission/review.h"
#include "admission/reviewer.h"
#include "server/rate_limiter.h"

namespace berth::admission {

/// One line for each denial, as far as there are not too many. Thread-safe.
class DenialLog {
 public:
  void OnReviewed(const Review& review, const Verdict& verdict);

 private:
  server::RateLimiter limiter_{std::chrono::seconds(1), 10};
};

}  // namespace berth::admission
