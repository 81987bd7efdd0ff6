#include "cluster/pool_counts.h"

#include <algorithm>

#include "model/annotation.h"
#include "model/avoid.h"

namespace berth::cluster {
namespace {

using model::Condition;
using model::ConditionStatus;
using model::PastStatus;

bool IsFirstOfItsType(const std::vector<Condition>& conditions, const Condition& condition) {
  const auto first = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const auto& other) { return other.type == condition.type; });
  return &*first == &condition;
}

// Adds `amount` to the count of `key`. There is none that is 0.
template <typename Key>
void AddTo(std::map<Key, std::size_t>& counts, const Key& key, std::size_t amount) {
  const auto count = counts.try_emplace(key).first;
  count->second += amount;
  if (count->second == 0) counts.erase(count);
}

template <typename Key>
std::size_t SumBelow(const std::map<Key, std::size_t>& counts, const Key& end) {
  std::size_t sum = 0;
  const auto last = counts.lower_bound(end);
  for (auto count = counts.begin(); count != last; ++count) sum += count->second;
  return sum;
}

}  // namespace

std::size_t PoolCounts::Nodes(Index accelerator) const {
  const auto pool = static_cast<std::size_t>(accelerator);
  return pool < pools_.size() ? pools_[pool].nodes : 0;
}

model::ConditionShare PoolCounts::NodesWith(Index accelerator, std::string_view type,
                                            ConditionStatus bad, model::Time stale_before,
                                            model::Duration long_bad) const {
  const auto pool = static_cast<std::size_t>(accelerator);
  if (pool >= pools_.size()) return {};
  const auto found = pools_[pool].by_type.find(type);
  if (found == pools_[pool].by_type.end()) return {};
  const Tally& tally = found->second;
  const bool true_is_bad =
      model::HealthOf(ConditionStatus::kTrue, bad) == model::ConditionHealth::kBad;
  const Beats& well = true_is_bad ? tally.is_false : tally.is_true;
  const Before& was_bad = true_is_bad ? tally.was_true : tally.was_false;
  // The short ones are summed up, because there are only as many different ones as seconds in
  // `long_bad`.
  return {.bad = (true_is_bad ? tally.is_true : tally.is_false).nodes,
          .unknown = tally.unknown + SumBelow(well.by_time, stale_before),
          .was_bad = was_bad.nodes - SumBelow(was_bad.by_length, long_bad)};
}

void PoolCounts::CountAvoided(const model::StringMap& annotations, int step) {
  for (const auto& [name, text] : annotations) {
    if (!model::kAvoidAnnotation.IsNameOf(name)) continue;
    for (const model::Avoided& entry : model::ParseAvoided(text)) {
      const auto count = avoided_.try_emplace(entry.owner).first;
      count->second += static_cast<std::size_t>(step);
      if (count->second == 0) avoided_.erase(count);
    }
  }
}

void PoolCounts::Count(Index accelerator, const std::vector<Condition>& conditions,
                       const std::vector<PastStatus>& past, int step) {
  if (accelerator == model::AcceleratorCatalog::kNone) return;
  const auto index = static_cast<std::size_t>(accelerator);
  if (index >= pools_.size()) pools_.resize(index + 1);
  Pool& pool = pools_[index];
  pool.nodes += static_cast<std::size_t>(step);
  for (const Condition& condition : conditions) {
    if (!IsFirstOfItsType(conditions, condition)) continue;
    const auto tally = pool.by_type.try_emplace(condition.type).first;
    Count(tally->second, condition, past, step);
    // Anybody may write any type on a node, so types must not outlive their nodes.
    if (tally->second.nodes == 0) pool.by_type.erase(tally);
  }
}

void PoolCounts::Count(Tally& tally, const Condition& condition,
                       const std::vector<PastStatus>& past, int step) {
  const auto amount = static_cast<std::size_t>(step);
  tally.nodes += amount;
  switch (condition.status) {
    case ConditionStatus::kTrue:
      return Count(tally.is_true, condition.last_heartbeat, amount);
    case ConditionStatus::kFalse:
      return Count(tally.is_false, condition.last_heartbeat, amount);
    case ConditionStatus::kUnknown:
      tally.unknown += amount;
      return CountBefore(tally, condition.type, past, amount);
  }
}

void PoolCounts::Count(Beats& beats, model::Time heartbeat, std::size_t amount) {
  beats.nodes += amount;
  if (heartbeat != model::kNoTime) AddTo(beats.by_time, heartbeat, amount);
}

void PoolCounts::CountBefore(Tally& tally, std::string_view type,
                             const std::vector<PastStatus>& past, std::size_t amount) {
  for (const PastStatus& each : past) {
    if (!each.lasts || each.type != type) continue;
    Before& before = each.status == ConditionStatus::kTrue ? tally.was_true : tally.was_false;
    before.nodes += amount;
    AddTo(before.by_length, model::LastedFor(each), amount);
  }
}

}  // namespace berth::cluster
