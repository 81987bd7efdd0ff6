#include "policies/scheduling/rank.h"

#include <algorithm>

namespace berth::policies::scheduling {

void RankScale::Add(const Judgement& judgement) {
  if (!judgement.fits) return;
  Range& range = judgement.last ? last_ : others_;
  range.min = std::min(range.min, judgement.score);
  range.max = std::max(range.max, judgement.score);
}

std::int64_t RankScale::RankOf(const Judgement& judgement) const {
  if (!judgement.fits || (judgement.last && !others_.empty())) return 0;
  const Range& range = judgement.last ? last_ : others_;
  const std::int64_t low = judgement.last || last_.empty() ? 0 : 1;
  const std::int64_t width = std::int64_t{range.max} - range.min;
  if (width == 0) return kMaxRank;
  const std::int64_t above = (kMaxRank - low) * (std::int64_t{judgement.score} - range.min);
  // Half of the width is added, so that integer division rounds to the nearest rank.
  return low + (above + width / 2) / width;
}

std::vector<std::int64_t> Rank(std::span<const Judgement> judgements) {
  RankScale scale;
  for (const Judgement& judgement : judgements) scale.Add(judgement);
  std::vector<std::int64_t> ranks;
  ranks.reserve(judgements.size());
  for (const Judgement& judgement : judgements) ranks.push_back(scale.RankOf(judgement));
  return ranks;
}

}  // namespace berth::policies::scheduling
