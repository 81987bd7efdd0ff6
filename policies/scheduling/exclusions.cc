#include "policies/scheduling/exclusions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "policies/scheduling/breaker.h"
#include "policies/scheduling/condition_rule.h"
#include "policies/scheduling/health_profiles.h"

namespace berth::policies::scheduling {

namespace {

using Index = model::AcceleratorCatalog::Index;

// A driver that lost a device may list fewer than GPU feature discovery has counted.
std::int64_t InstalledDevices(const model::NodeState& node,
                              const model::AcceleratorCatalog& catalog) {
  if (node.accelerator == model::AcceleratorCatalog::kNone) return 0;
  const std::string& resource = catalog[node.accelerator].resource;
  const std::int64_t listed = node.node.capacity.Get(resource);
  if (resource != "nvidia.com/gpu") return listed;
  return std::max(listed, node.gpu.count.value_or(0));
}

// In which pools a breaker weakens the entry, by catalogue index; empty if in none.
std::vector<bool> WeakenedIn(const HealthCondition& entry, const HealthConfig& config,
                             std::size_t pools, const model::PoolStats& stats, model::Time now) {
  if (config.breaker.action != BreakerAction::kPenalize) return {};
  std::vector<bool> weakened(pools);
  for (std::size_t i = 0; i < pools; ++i) {
    weakened[i] = IsTripped(entry, config, stats, static_cast<Index>(i), now);
  }
  return weakened;
}

bool Holds(const std::vector<bool>& pools, Index accelerator) {
  const auto index = static_cast<std::size_t>(accelerator);
  return index < pools.size() && pools[index];
}

}  // namespace

std::vector<Exclusion> Exclusions(const HealthConfig& config,
                                  const model::AcceleratorCatalog& catalog,
                                  const model::ClusterView& view, model::Time now) {
  std::vector<Exclusion> exclusions;
  for (const HealthCondition& entry : AllConditions(config)) {
    if (entry.effect != Effect::kExclude || entry.IsMaintenance()) continue;
    const auto weakened = WeakenedIn(entry, config, catalog.size(), view.Pools(), now);
    for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
      const model::NodeState* const node = view.At(i);
      if (node == nullptr || node->quarantined || Holds(weakened, node->accelerator)) continue;
      const std::optional<model::Time> since = ExcludedSince(entry, config, *node, now);
      if (!since) continue;
      exclusions.push_back({.node = node->node.name,
                            .uid = node->node.uid,
                            .accelerator = node->accelerator,
                            .condition = entry.type,
                            .resources = entry.resources,
                            .devices = InstalledDevices(*node, catalog),
                            .since = *since});
    }
  }
  std::stable_sort(exclusions.begin(), exclusions.end(),
                   [](const Exclusion& a, const Exclusion& b) { return a.since < b.since; });
  return exclusions;
}

}  // namespace berth::policies::scheduling
