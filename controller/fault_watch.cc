#include "controller/fault_watch.h"

#include <algorithm>
#include <utility>

#include "policies/scheduling/breaker.h"
#include "policies/scheduling/health.h"
#include "policies/scheduling/health_profiles.h"

namespace berth::controller {

namespace {

using policies::scheduling::Exclusion;
using policies::scheduling::HealthCondition;

// The breaker is no reason to say that a node is well again.
policies::scheduling::HealthConfig WithoutBreaker(policies::scheduling::HealthConfig health) {
  health.breaker.action = policies::scheduling::BreakerAction::kAlert;
  return health;
}

std::optional<model::Duration> Since(const Exclusion& fault, model::Time now) {
  if (fault.since == model::kNoTime) return std::nullopt;
  return std::max(now - fault.since, model::Duration::zero());
}

model::Time Earlier(model::Time a, model::Time b) {
  if (a == model::kNoTime || b == model::kNoTime) return std::max(a, b);
  return std::min(a, b);
}

bool HasDevicesInUse(const model::NodeState& node, const model::AcceleratorCatalog& catalog) {
  if (node.accelerator == model::AcceleratorCatalog::kNone) return false;
  return model::HasDevicesOf(catalog[node.accelerator], node.used);
}

const model::NodeState* NodeOf(const Exclusion& fault, const model::ClusterView& view) {
  const auto index = view.Find(fault.node);
  const model::NodeState* const node = index ? view.At(*index) : nullptr;
  return node != nullptr && node->node.uid == fault.uid ? node : nullptr;
}

}  // namespace

FaultWatch::FaultWatch(policies::scheduling::HealthConfig health)
    : health_(WithoutBreaker(std::move(health))),
      maintenance_(policies::scheduling::AllConditions(health_)) {
  std::erase_if(maintenance_, [](const HealthCondition& entry) {
    return entry.effect != policies::scheduling::Effect::kExclude || !entry.IsMaintenance();
  });
}

std::vector<FaultChange> FaultWatch::Look(const model::ClusterView& view,
                                          const model::AcceleratorCatalog& catalog,
                                          model::Time now) {
  Suspects suspects;
  for (const auto& each : policies::scheduling::Breakers(health_, catalog, view.Pools(), now)) {
    if (each.tripped) suspects.emplace(each.accelerator, each.condition);
  }
  std::map<Key, Fault> present = Now(view, catalog, now);
  std::vector<FaultChange> changes;
  Begin(suspects, now, present, changes);
  Vacate(view, catalog, now, present, changes);
  End(view, now, present, changes);
  faults_ = std::move(present);
  has_looked_ = true;
  return changes;
}

std::map<FaultWatch::Key, FaultWatch::Fault> FaultWatch::Now(
    const model::ClusterView& view, const model::AcceleratorCatalog& catalog,
    model::Time now) const {
  std::map<Key, Fault> present;
  for (Exclusion& each : policies::scheduling::Exclusions(health_, catalog, view, now)) {
    Key key{each.node, each.uid, each.condition};
    const auto [at, is_new] = present.try_emplace(std::move(key), Fault{.fault = each});
    if (is_new) continue;
    Exclusion& known = at->second.fault;
    known.since = Earlier(known.since, each.since);
    if (each.resources.empty()) known.resources.clear();
  }
  return present;
}

void FaultWatch::Begin(const Suspects& suspects, model::Time now, std::map<Key, Fault>& present,
                       std::vector<FaultChange>& changes) const {
  for (auto& [key, fault] : present) {
    const bool is_suspect = suspects.contains({fault.fault.accelerator, fault.fault.condition});
    const auto before = faults_.find(key);
    if (before != faults_.end()) {
      fault.occupied = before->second.occupied;
      fault.seen_to_begin = before->second.seen_to_begin;
      fault.is_suspect = before->second.is_suspect;
      fault.suspected = is_suspect ? now : before->second.suspected;
      fault.fault.since = Earlier(fault.fault.since, before->second.fault.since);
      if (fault.is_suspect && now - fault.suspected > kNews) {
        fault.is_suspect = false;
        changes.push_back({.what = FaultChange::What::kExcluded, .fault = fault.fault});
      }
      continue;
    }
    fault.is_suspect = is_suspect;
    fault.suspected = now;
    if (has_looked_ || now - fault.fault.since < kNews) {
      fault.seen_to_begin = has_looked_;
      changes.push_back({.what = FaultChange::What::kExcluded,
                         .fault = fault.fault,
                         .after = has_looked_ ? Since(fault.fault, now) : std::nullopt,
                         .is_suspect = fault.is_suspect});
    }
  }
}

void FaultWatch::Vacate(const model::ClusterView& view, const model::AcceleratorCatalog& catalog,
                        model::Time now, std::map<Key, Fault>& present,
                        std::vector<FaultChange>& changes) {
  for (auto& [key, fault] : present) {
    const model::NodeState* const node = NodeOf(fault.fault, view);
    if (node == nullptr) continue;
    const bool is_occupied = HasDevicesInUse(*node, catalog);
    const bool is_vacated = fault.occupied && !is_occupied;
    fault.occupied = is_occupied;
    if (!is_vacated || !fault.seen_to_begin) continue;
    changes.push_back({.what = FaultChange::What::kVacated,
                       .fault = fault.fault,
                       .after = Since(fault.fault, now),
                       .is_suspect = fault.is_suspect});
  }
}

void FaultWatch::End(const model::ClusterView& view, model::Time now, std::map<Key, Fault>& present,
                     std::vector<FaultChange>& changes) const {
  for (const auto& [key, fault] : faults_) {
    if (present.contains(key)) continue;
    const model::NodeState* const node = NodeOf(fault.fault, view);
    if (node == nullptr) continue;
    if (node->quarantined) {
      present.emplace(key, fault);
      continue;
    }
    const auto of_node = present.lower_bound({fault.fault.node, fault.fault.uid, ""});
    const bool is_still_out = of_node != present.end() &&
                              of_node->second.fault.node == fault.fault.node &&
                              of_node->second.fault.uid == fault.fault.uid;
    changes.push_back({.what = FaultChange::What::kReturned,
                       .fault = fault.fault,
                       .after = Since(fault.fault, now),
                       .is_back = !is_still_out && !IsInMaintenance(*node, now),
                       .is_suspect = fault.is_suspect});
  }
}

bool FaultWatch::IsInMaintenance(const model::NodeState& node, model::Time now) const {
  return std::ranges::any_of(maintenance_, [&](const HealthCondition& entry) {
    return policies::scheduling::Excludes(entry, health_, node, now);
  });
}

}  // namespace berth::controller
