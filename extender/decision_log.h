#pragma once

#include <atomic>
#include <cstdint>

#include "extender/decision.h"
#include "server/rate_limiter.h"

namespace berth::extender {

/// Writes an info line for each pod that was placed or refused: the best nodes with what decided
/// between them, or the reasons with their counts. At most ten lines a second after a burst of
/// fifty; `linesHeldBack` tells how many were left out before a line. Thread-safe.
class DecisionLog final : public DecisionObserver {
 public:
  DecisionLog();

  bool Wants() override;
  void OnDecision(const Decision& decision) override;

 private:
  server::RateLimiter lines_;
  std::atomic<std::uint64_t> held_back_ = 0;
};

}  // namespace berth::extender
