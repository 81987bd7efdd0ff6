#include "policies/scheduling/breaker.h"

#include <algorithm>
#include <utility>

#include "policies/scheduling/condition_rule.h"
#include "policies/scheduling/health_profiles.h"

namespace berth::policies::scheduling {

namespace {

using Index = model::AcceleratorCatalog::Index;

// The condition is stale if its last heartbeat was before this time.
model::Time StaleBefore(const HealthCondition& entry, const HealthConfig& config, model::Time now) {
  const model::Duration stale_after = StaleAfter(entry, config);
  return stale_after.count() > 0 ? now - stale_after : model::Time::min();
}

std::size_t CountAffected(const HealthCondition& entry, const HealthConfig& config,
                          const model::PoolStats& pools, Index accelerator, model::Time now) {
  const model::ConditionShare share = pools.NodesWith(
      accelerator, entry.type, BadStatusOf(entry), StaleBefore(entry, config, now), LongBad(entry));
  const bool unknown_excludes = EffectOfUnknown(entry, config) == Effect::kExclude;
  return share.bad + (unknown_excludes ? share.unknown : share.was_bad);
}

bool TripsAt(const BreakerConfig& config, std::size_t nodes, std::size_t affected) {
  if (nodes < static_cast<std::size_t>(config.min_nodes)) return false;
  return static_cast<double>(affected) > config.fraction * static_cast<double>(nodes);
}

void Add(std::vector<Breaker>& breakers, Breaker breaker) {
  const auto twin = std::find_if(breakers.begin(), breakers.end(), [&](const Breaker& other) {
    return other.accelerator == breaker.accelerator && other.condition == breaker.condition;
  });
  if (twin == breakers.end()) {
    breakers.push_back(std::move(breaker));
  } else if (breaker.affected > twin->affected) {
    *twin = std::move(breaker);
  }
}

}  // namespace

bool IsTripped(const HealthCondition& entry, const HealthConfig& config,
               const model::PoolStats& pools, Index accelerator, model::Time now) {
  return TripsAt(config.breaker, pools.Nodes(accelerator),
                 CountAffected(entry, config, pools, accelerator, now));
}

std::vector<Breaker> Breakers(const HealthConfig& config, const model::AcceleratorCatalog& catalog,
                              const model::PoolStats& pools, model::Time now) {
  std::vector<Breaker> breakers;
  const std::vector<HealthCondition> conditions = AllConditions(config);
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    const auto accelerator = static_cast<Index>(i);
    const std::size_t nodes = pools.Nodes(accelerator);
    for (const HealthCondition& entry : conditions) {
      const std::size_t affected = CountAffected(entry, config, pools, accelerator, now);
      Add(breakers, {.accelerator = accelerator,
                     .condition = entry.type,
                     .tripped = TripsAt(config.breaker, nodes, affected),
                     .nodes = nodes,
                     .affected = affected});
    }
  }
  return breakers;
}

}  // namespace berth::policies::scheduling
