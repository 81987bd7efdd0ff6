#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "policies/scheduling/engine.h"

namespace berth::policies::scheduling {

/// The highest rank that kube-scheduler accepts from an extender (MaxExtenderPriority in
/// k8s.io/kube-scheduler/extender/v1/types.go).
inline constexpr std::int64_t kMaxRank = 10;

/// How good a fitting node is among the nodes of one request; greater is better. Nodes that come
/// last are worth less than all others.
using Worth = std::uint64_t;

/// The worth of a node that fits.
inline Worth WorthOf(const Judgement& judgement) {
  constexpr Worth kNotLast = Worth{1} << 32;
  return judgement.score + (judgement.last ? 0 : kNotLast);
}

/// Ranks the fitting nodes of one request: 10 x (score - min) / (max - min), rounded, or 10 for all
/// if their scores are equal. If only some of them are `last`, those get 0, and the others 1 to 10
/// by the same rule. Ranks are relative because there are only 11 of them. Nodes that do not fit
/// get 0 and do not widen the scale.
///
/// For example, the scores 4000, 4500 and 6000 get the ranks 0, 3 and 10.
///
/// To use it, Add() every judgement of the request, then ask RankOf(). Not thread-safe.
class RankScale {
 public:
  /// Widens the scale to include `judgement`.
  void Add(const Judgement& judgement);

  /// The rank, 0 to kMaxRank, of a judgement that was added. Call it after the last Add().
  std::int64_t RankOf(const Judgement& judgement) const;

 private:
  // The lowest and the highest score of a group of nodes.
  struct Range {
    bool empty() const { return min > max; }

    std::uint32_t min = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t max = 0;
  };

  // Nodes that come last, and all other nodes that fit.
  Range last_;
  Range others_;
};

/// The ranks of all nodes of one request, in the order of `judgements`.
std::vector<std::int64_t> Rank(std::span<const Judgement> judgements);

}  // namespace berth::policies::scheduling
