#pragma once

#include <atomic>
#include <cstdint>

#include "extender/decision.h"
#include "server/rate_limiter.h"

namespace berth::extender {

/// Logs one line (info) for each pod that was placed or refused, with:
/// - the best nodes, and what decided between them;
/// - the reasons for which nodes were refused, with their counts.
///
/// Writes ten lines a second at most, and fifty at once after a pause. `linesHeldBack` in a line is
/// the number of lines that were left out before it. Thread-safe.
///
///   {"ts":"...","level":"info","msg":"placement","pod":"ml/train-0","uid":"...",
///    "nodeResourceVersion":812,"podResourceVersion":815,"fitting":2,
///    "top":["gpu-7 rank 10 score 1500","gpu-3 rank 0 score 900"],"decidedBy":"packing",
///    "refused":["3 node(s) had condition GPUIsLost"],"linesHeldBack":0}
class DecisionLog final : public DecisionObserver {
 public:
  /// The first fifty decisions are logged at once.
  DecisionLog();

  /// Returns whether a line may be written now. Each call that returns true uses up one line.
  bool Wants() override;

  /// Writes the line.
  void OnDecision(const Decision& decision) override;

 private:
  server::RateLimiter lines_;
  // Lines left out since the last one that was written.
  std::atomic<std::uint64_t> held_back_ = 0;
};

}  // namespace berth::extender
