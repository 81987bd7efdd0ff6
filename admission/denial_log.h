#pragma once

#include "admission/review.h"
#include "admission/reviewer.h"
#include "server/rate_limiter.h"

namespace berth::admission {

/// Logs denials, one line each at level info. At most about one a second, with bursts of ten; a
/// line says how many were held back before it. Metrics and the API server's audit log have every
/// denial. Thread-safe.
class DenialLog {
 public:
  /// Logs kind, namespace, user and reason if `verdict` is a denial; of the first three 1,024 bytes
  /// at most.
  void OnReviewed(const Review& review, const Verdict& verdict);

 private:
  server::RateLimiter limiter_{std::chrono::seconds(1), 10};
};

}  // namespace berth::admission
