#include "cluster/pool_counts.h"

#include <algorithm>

namespace berth::cluster {
namespace {

using model::Condition;
using model::ConditionStatus;

bool IsFirstOfItsType(const std::vector<Condition>& conditions, const Condition& condition) {
  const auto first = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const auto& other) { return other.type == condition.type; });
  return &*first == &condition;
}

}  // namespace

std::size_t PoolCounts::Nodes(Index accelerator) const {
  const auto pool = static_cast<std::size_t>(accelerator);
  return pool < pools_.size() ? pools_[pool].nodes : 0;
}

model::ConditionShare PoolCounts::NodesWith(Index accelerator, std::string_view type,
                                            model::Time stale_before) const {
  const auto pool = static_cast<std::size_t>(accelerator);
  if (pool >= pools_.size()) return {};
  const auto found = pools_[pool].by_type.find(type);
  if (found == pools_[pool].by_type.end()) return {};
  const Tally& tally = found->second;
  model::ConditionShare share{.is_true = tally.is_true, .unknown = tally.unknown};
  const auto fresh = tally.false_beats.lower_bound(stale_before);
  for (auto beat = tally.false_beats.begin(); beat != fresh; ++beat) share.unknown += beat->second;
  return share;
}

void PoolCounts::Count(Index accelerator, const std::vector<Condition>& conditions, int step) {
  if (accelerator == model::AcceleratorCatalog::kNone) return;
  const auto index = static_cast<std::size_t>(accelerator);
  if (index >= pools_.size()) pools_.resize(index + 1);
  Pool& pool = pools_[index];
  pool.nodes += static_cast<std::size_t>(step);
  for (const Condition& condition : conditions) {
    if (!IsFirstOfItsType(conditions, condition)) continue;
    const auto tally = pool.by_type.try_emplace(condition.type).first;
    Count(tally->second, condition, step);
    // Anybody may write any type on a node, so types must not outlive their nodes.
    if (tally->second.nodes == 0) pool.by_type.erase(tally);
  }
}

void PoolCounts::Count(Tally& tally, const Condition& condition, int step) {
  const auto amount = static_cast<std::size_t>(step);
  tally.nodes += amount;
  if (condition.status == ConditionStatus::kTrue) tally.is_true += amount;
  if (condition.status == ConditionStatus::kUnknown) tally.unknown += amount;
  if (condition.status != ConditionStatus::kFalse) return;
  if (condition.last_heartbeat == model::kNoTime) return;
  const auto beat = tally.false_beats.try_emplace(condition.last_heartbeat).first;
  beat->second += amount;
  if (beat->second == 0) tally.false_beats.erase(beat);
}

}  // namespace berth::cluster
