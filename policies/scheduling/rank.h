#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "policies/scheduling/engine.h"

namespace berth::policies::scheduling {

/// The highest rank that kube-scheduler takes from an extender.
/// k8s.io/kube-scheduler/extender/v1/types.go, MaxExtenderPriority.
inline constexpr std::int64_t kMaxRank = 10;

/// How good a node that fits is, among those of one request: greater is better. The scores of nodes
/// that come last are below all others.
using Worth = std::uint64_t;

inline Worth WorthOf(const Judgement& judgement) {
  constexpr Worth kNotLast = Worth{1} << 32;
  return judgement.score + (judgement.last ? 0 : kNotLast);
}

/// Ranks the nodes of one request that fit: 10 x (score - min) / (max - min), rounded; all 10 when
/// equal. Where some are `last` and others not, those get 0 and the others 1 to 10 by the same
/// rule. Ranks are relative because there are only 11 of them. What does not fit gets 0 and does
/// not stretch the scale. Not thread-safe.
class RankScale {
 public:
  /// Has the scale reach to `judgement`, which is one of the request's.
  void Add(const Judgement& judgement);

  /// The rank of one of those added, once all are.
  std::int64_t RankOf(const Judgement& judgement) const;

 private:
  struct Range {
    bool empty() const { return min > max; }

    std::uint32_t min = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t max = 0;
  };

  Range last_;
  Range others_;
};

/// The ranks of all nodes of one request.
std::vector<std::int64_t> Rank(std::span<const Judgement> judgements);

}  // namespace berth::policies::scheduling
