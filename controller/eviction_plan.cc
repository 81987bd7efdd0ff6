#include "controller/eviction_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "policies/scheduling/breaker.h"
#include "policies/scheduling/condition_rule.h"
#include "policies/scheduling/health.h"
#include "policies/scheduling/health_profiles.h"

namespace berth::controller {

namespace {

using policies::scheduling::HealthCondition;
using policies::scheduling::HealthConfig;
using Index = model::AcceleratorCatalog::Index;

// When a fault that began at `fault` excludes its node; kForever if nobody knows.
model::Time ExcludedBy(const HealthCondition& entry, model::Time fault) {
  if (fault == model::kNoTime) return model::kForever;
  return model::SaturatingAdd(fault, entry.min_duration);
}

// When a node was excluded at the latest by the clock of the API server, which wrote when its pods
// were created: `time` is by that of the controller or of the node. Later than in truth, a pod that
// came in between is evicted in vain, and what replaces it stays. Earlier, a pod that the fault has
// hit would stay there for good.
model::Time AtTheLatest(model::Time time) { return model::SaturatingAdd(time, model::kClockError); }

std::size_t ShareOf(double share, std::size_t nodes) {
  return static_cast<std::size_t>(std::floor(share * static_cast<double>(nodes)));
}

// Whether no new pods get onto the node, whatever they ask for and for whatever reason.
bool IsAway(const std::vector<HealthCondition>& entries, const HealthConfig& health,
            const model::NodeState& node, model::Time time) {
  if (node.quarantined || node.node.unschedulable || model::NotReadySince(node.node)) return true;
  return std::ranges::any_of(entries, [&](const HealthCondition& entry) {
    return entry.IsForAllPods() && policies::scheduling::Excludes(entry, health, node, time);
  });
}

// By node: whether it is away.
std::vector<bool> NodesAway(const std::vector<HealthCondition>& entries, const HealthConfig& health,
                            const model::ClusterView& view, model::Time time) {
  std::vector<bool> away(view.EndIndex());
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* const node = view.At(i);
    away[i] = node != nullptr && IsAway(entries, health, *node, time);
  }
  return away;
}

// By catalogue index: whether too much of the pool is closed to the pods that `entry` is for. The
// nodes that it excludes itself are, although they may be open to other pods.
std::vector<bool> ThinnedOut(const HealthCondition& entry, const std::vector<bool>& away,
                             const HealthConfig& health, const model::ClusterView& view,
                             std::size_t pools, model::Time time) {
  std::vector<std::size_t> closed(pools);
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* const node = view.At(i);
    if (node == nullptr || node->accelerator == model::AcceleratorCatalog::kNone) continue;
    if (!away[i] && !policies::scheduling::Excludes(entry, health, *node, time)) continue;
    ++closed[static_cast<std::size_t>(node->accelerator)];
  }
  std::vector<bool> thinned(pools);
  for (std::size_t i = 0; i < pools; ++i) {
    const std::size_t nodes = view.Pools().Nodes(static_cast<Index>(i));
    thinned[i] = closed[i] > ShareOf(health.breaker.fraction, nodes);
  }
  return thinned;
}

}  // namespace

bool IsBadNow(const HealthCondition& entry, const model::Node& node) {
  return std::ranges::any_of(node.conditions, [&](const model::Condition& condition) {
    return condition.type == entry.type && condition.status == BadStatusOf(entry);
  });
}

EntryKey EntryKeyOf(const HealthCondition& entry) {
  return {entry.type, entry.resources, entry.max_runtime};
}

std::vector<NodeToEmpty> EvictionPlan::Due(const model::ClusterView& view,
                                           const model::AcceleratorCatalog& catalog,
                                           model::Time time, Clock::time_point now) {
  if (rules_.evict.empty()) return {};
  const std::vector<HealthCondition> entries = policies::scheduling::AllConditions(rules_.health);
  const std::vector<bool> away = NodesAway(entries, rules_.health, view, time);
  for (auto& [key, seen] : seen_) seen.still = false;
  std::vector<Dated> due;
  for (const EvictConfig& rule : rules_.evict) {
    for (const HealthCondition& entry : entries) {
      if (entry.type != rule.condition) continue;
      const std::vector<bool> thinned =
          ThinnedOut(entry, away, rules_.health, view, catalog.size(), time);
      for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
        const model::NodeState* const node = view.At(i);
        if (node == nullptr || node->accelerator == model::AcceleratorCatalog::kNone) continue;
        const bool is_tripped = policies::scheduling::IsTripped(entry, rules_.health, view.Pools(),
                                                                node->accelerator, time);
        // The node is open to pods until the breaker closes.
        if (is_tripped && BreakersOpenNodes()) continue;
        const bool stands_back =
            node->quarantined || is_tripped || thinned[static_cast<std::size_t>(node->accelerator)];
        LookAt(*node, view.Pools(), rule, entry, {time, now, stands_back}, due);
      }
    }
  }
  std::erase_if(seen_, [](const auto& each) { return !each.second.still; });
  NoteWhatWasLookedAt(view);
  std::ranges::stable_sort(due, [](const Dated& one, const Dated& other) {
    return std::tie(one.first, one.second.node) < std::tie(other.first, other.second.node);
  });
  std::vector<NodeToEmpty> nodes;
  nodes.reserve(due.size());
  for (auto& [since, node] : due) nodes.push_back(std::move(node));
  return nodes;
}

void EvictionPlan::OnEvicting(const NodeToEmpty& node, model::Time youngest) {
  const auto seen = seen_.find(KeyOf(node.node, node.uid, node.entry));
  if (seen == seen_.end()) return;
  const model::Time later = model::SaturatingAdd(youngest, model::Duration{1});
  seen->second.time = std::min(seen->second.time, later);
}

EvictionPlan::Key EvictionPlan::KeyOf(const std::string& name, const std::string& uid,
                                      const HealthCondition& entry) {
  return {name + '/' + uid, EntryKeyOf(entry)};
}

bool EvictionPlan::BreakersOpenNodes() const {
  return rules_.health.breaker.action == policies::scheduling::BreakerAction::kPenalize;
}

void EvictionPlan::NoteWhatWasLookedAt(const model::ClusterView& view) {
  has_looked_ = true;
  unread_.clear();
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* const node = view.At(i);
    if (node != nullptr && node->quarantined) unread_.insert(node->node.name);
  }
}

model::Time EvictionPlan::ExcludedFrom(const model::NodeState& node, const HealthCondition& entry,
                                       model::Time fault, model::Time time) const {
  const bool is_first_look = !has_looked_ || unread_.contains(node.node.name);
  // Until a moment ago a breaker may have let pods onto the node.
  if (!is_first_look || BreakersOpenNodes()) return AtTheLatest(time);
  return AtTheLatest(std::min(time, ExcludedBy(entry, fault)));
}

void EvictionPlan::LookAt(const model::NodeState& node, const model::PoolStats& pools,
                          const EvictConfig& rule, const HealthCondition& entry, const Look& look,
                          std::vector<Dated>& due) {
  const std::optional<model::Time> fault =
      policies::scheduling::ExcludedSince(entry, rules_.health, node, look.time);
  if (!fault) return;
  const Seen first{.time = ExcludedFrom(node, entry, *fault, look.time)};
  Seen& seen = seen_.try_emplace(KeyOf(node.node.name, node.node.uid, entry), first).first->second;
  seen.still = true;
  if (look.stands_back) seen.since.reset();
  if (look.stands_back || !IsBadNow(entry, node.node)) return;
  if (!seen.since) seen.since = look.now;
  if (look.now - *seen.since < rule.after || model::NotReadySince(node.node)) return;
  const std::size_t share = ShareOf(rule.max_share, pools.Nodes(node.accelerator));
  due.emplace_back(*seen.since, NodeToEmpty{.node = node.node.name,
                                            .uid = node.node.uid,
                                            .accelerator = node.accelerator,
                                            .rule = rule,
                                            .entry = entry,
                                            .since = seen.time,
                                            .at_once = std::max<std::size_t>(1, share)});
}

}  // namespace berth::controller
