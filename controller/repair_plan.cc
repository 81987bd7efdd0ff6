#include "controller/repair_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "model/annotation.h"
#include "model/taint.h"
#include "policies/scheduling/breaker.h"
#include "policies/scheduling/health.h"
#include "policies/scheduling/health_profiles.h"

namespace berth::controller {

namespace {

using policies::scheduling::Effect;
using policies::scheduling::HealthCondition;

bool IsNotReady(const model::Node& node) {
  return std::ranges::any_of(node.conditions, [](const model::Condition& condition) {
    return condition.type == "Ready" && condition.status != model::ConditionStatus::kTrue;
  });
}

bool IsOperatedOn(const model::Node& node) {
  return model::FindTaint(node.taints, model::kOperatingTaint, model::kNoSchedule) != nullptr;
}

// What the plan knows of one node of a pool.
struct Patient {
  const model::Node* node = nullptr;
  // An entry excludes it whose breaker is not tripped.
  bool ill = false;
  bool away = false;
  bool operated_on = false;
  bool quarantined = false;
  // The value of its label.
  std::optional<std::string_view> label = {};
};

// Makes one plan.
class RepairPlanner {
 public:
  RepairPlanner(const model::ClusterView& view, const model::AcceleratorCatalog& catalog,
                const RepairRules& rules, model::Time now)
      : view_(view), rules_(rules), now_(now), pools_(catalog.size()) {
    entries_ = policies::scheduling::AllConditions(rules.health);
    std::erase_if(entries_, [](const HealthCondition& entry) {
      return entry.effect != Effect::kExclude || entry.max_runtime.count() > 0;
    });
  }

  std::vector<RepairChange> Plan() {
    for (model::NodeIndex i = 0; i < view_.EndIndex(); ++i) {
      if (const model::NodeState* const node = view_.At(i)) LookAt(*node);
    }
    for (const std::vector<Patient>& pool : pools_) PlanPool(pool);
    std::stable_partition(changes_.begin(), changes_.end(),
                          [](const RepairChange& each) { return !each.allowed; });
    return std::move(changes_);
  }

 private:
  void LookAt(const model::NodeState& state) {
    const auto label = model::Find(state.node.labels, rules_.label);
    if (!rules_.enabled) {
      if (label == kRepairAllowed) Change(state.node, false);
    } else if (state.accelerator != model::AcceleratorCatalog::kNone) {
      pools_[static_cast<std::size_t>(state.accelerator)].push_back(Examine(state, label));
    } else if (label == kRepairAllowed && !state.quarantined && !IsOperatedOn(state.node)) {
      Change(state.node, false);
    }
  }

  Patient Examine(const model::NodeState& state, std::optional<std::string_view> label) const {
    Patient patient{.node = &state.node,
                    .operated_on = IsOperatedOn(state.node),
                    .quarantined = state.quarantined,
                    .label = label};
    patient.away = patient.operated_on || state.node.unschedulable || IsNotReady(state.node);
    for (const HealthCondition& entry : entries_) {
      if (!policies::scheduling::Excludes(entry, rules_.health, state, now_)) continue;
      patient.away = true;
      if (entry.IsMaintenance()) continue;
      patient.ill = (label || policies::scheduling::Excludes(entry, present_, state, now_)) &&
                    !policies::scheduling::IsTripped(entry, rules_.health, view_.Pools(),
                                                     state.accelerator, now_);
      if (patient.ill) break;
    }
    return patient;
  }

  // Whoever is ill is away already, so it takes nothing more from the pool to repair it.
  void PlanPool(const std::vector<Patient>& pool) {
    const auto share = std::floor(rules_.max_share * static_cast<double>(pool.size()));
    const auto limit = std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(share));
    const bool few_away = std::ranges::count_if(pool, &Patient::away) <= limit;
    for (const Patient& each : pool) {
      if (each.quarantined) continue;
      const bool shall = each.ill && few_away;
      if (!each.label && shall) Change(*each.node, true);
      if (each.label == kRepairAllowed && !shall && !each.operated_on) Change(*each.node, false);
    }
  }

  void Change(const model::Node& node, bool allowed) {
    changes_.push_back({.node = node.name, .uid = node.uid, .allowed = allowed});
  }

  const model::ClusterView& view_;
  const RepairRules& rules_;
  // What gives a node its label; `rules_.health` is what keeps it.
  const policies::scheduling::HealthConfig present_ =
      policies::scheduling::OfThePresent(rules_.health);
  const model::Time now_;
  // Those by which a node is away. Announced maintenance still lets some pods on it.
  std::vector<HealthCondition> entries_;
  std::vector<std::vector<Patient>> pools_;  // by catalogue index
  std::vector<RepairChange> changes_;
};

}  // namespace

std::vector<RepairChange> PlanRepairs(const model::ClusterView& view,
                                      const model::AcceleratorCatalog& catalog,
                                      const RepairRules& rules, model::Time now) {
  return RepairPlanner(view, catalog, rules, now).Plan();
}

}  // namespace berth::controller
