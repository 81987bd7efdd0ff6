#include "controller/taint_plan.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "model/label.h"
#include "model/taint.h"
#include "policies/scheduling/breaker.h"
#include "policies/scheduling/health.h"
#include "policies/scheduling/health_profiles.h"

namespace berth::controller {

namespace {

using policies::scheduling::HealthCondition;

// An entry of health.conditions, and the pools in which it counts, by catalogue index.
struct TaintingEntry {
  HealthCondition entry;
  std::vector<bool> counts_in;
};

std::string TaintValueOf(const HealthCondition& entry) {
  return model::IsLabelValue(entry.type) ? entry.type : "";
}

// Makes one plan.
class TaintPlanner {
 public:
  TaintPlanner(const model::ClusterView& view, const model::AcceleratorCatalog& catalog,
               const TaintRules& rules, const std::set<std::string>& written, model::Time now)
      : view_(view), rules_(rules), written_(written), now_(now), pools_(catalog.size()) {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      const auto nodes = static_cast<double>(view.Pools().Nodes(EntryAt(i)));
      pools_[i].limit = static_cast<std::size_t>(std::floor(rules.health.breaker.fraction * nodes));
    }
    if (rules.enabled) FindEntries();
  }

  std::vector<TaintChange> Plan() {
    for (model::NodeIndex i = 0; i < view_.EndIndex(); ++i) {
      if (const model::NodeState* const node = view_.At(i)) LookAt(*node);
    }
    for (const auto& [node, value] : wanting_) {
      Pool& pool = pools_[static_cast<std::size_t>(node->accelerator)];
      if (pool.tainted >= pool.limit) continue;
      ++pool.tainted;
      Change(*node, value);
    }
    return std::move(changes_);
  }

 private:
  struct Pool {
    // The most nodes that may have the taint.
    std::size_t limit = 0;
    // The nodes that have it, and of these the ones that keep it.
    std::size_t tainted = 0;
    std::size_t kept = 0;
  };

  static model::AcceleratorCatalog::Index EntryAt(std::size_t pool) {
    return static_cast<model::AcceleratorCatalog::Index>(pool);
  }

  void FindEntries() {
    for (const HealthCondition& entry : policies::scheduling::AllConditions(rules_.health)) {
      if (!entry.IsForAllPods()) continue;
      TaintingEntry found{.entry = entry, .counts_in = std::vector<bool>(pools_.size())};
      for (std::size_t i = 0; i < pools_.size(); ++i) {
        found.counts_in[i] =
            !policies::scheduling::IsTripped(entry, rules_.health, view_.Pools(), EntryAt(i), now_);
      }
      entries_.push_back(std::move(found));
    }
  }

  // Returns the value of the taint that the node shall have as far as its pool allows, by one of
  // the two configurations.
  std::optional<std::string> ValueFor(const model::NodeState& node,
                                      const policies::scheduling::HealthConfig& health) const {
    if (node.accelerator == model::AcceleratorCatalog::kNone) return std::nullopt;
    const auto pool = static_cast<std::size_t>(node.accelerator);
    for (const TaintingEntry& each : entries_) {
      const bool counts = each.counts_in[pool];
      if (counts && policies::scheduling::Excludes(each.entry, health, node, now_)) {
        return TaintValueOf(each.entry);
      }
    }
    return std::nullopt;
  }

  void LookAt(const model::NodeState& node) {
    const model::Taint* const taint =
        model::FindTaint(node.node.taints, rules_.key, model::kNoSchedule);
    if (taint != nullptr) {
      LookAtTainted(node, *taint);
    } else if (node.accelerator != model::AcceleratorCatalog::kNone &&
               written_.contains(node.node.name)) {
      ++pools_[static_cast<std::size_t>(node.accelerator)].tainted;
    } else if (!node.quarantined) {
      if (auto value = ValueFor(node, present_)) wanting_.emplace_back(&node, *std::move(value));
    }
  }

  void LookAtTainted(const model::NodeState& node, const model::Taint& taint) {
    if (node.accelerator == model::AcceleratorCatalog::kNone) {
      if (!node.quarantined || !rules_.enabled) Change(node, std::nullopt);
      return;
    }
    // One that is to be removed counts until the view tells that it is gone.
    Pool& pool = pools_[static_cast<std::size_t>(node.accelerator)];
    ++pool.tainted;
    if (node.quarantined && rules_.enabled) {
      ++pool.kept;
      return;
    }
    std::optional<std::string> value = ValueFor(node, rules_.health);
    if (value && pool.kept >= pool.limit) value.reset();
    if (value) ++pool.kept;
    if (value != taint.value) Change(node, std::move(value));
  }

  void Change(const model::NodeState& node, std::optional<std::string> value) {
    changes_.push_back({.node = node.node.name, .uid = node.node.uid, .value = std::move(value)});
  }

  const model::ClusterView& view_;
  const TaintRules& rules_;
  // What gives a node its taint; `rules_.health` is what keeps it.
  const policies::scheduling::HealthConfig present_ =
      policies::scheduling::OfThePresent(rules_.health);
  const std::set<std::string>& written_;
  const model::Time now_;
  std::vector<TaintingEntry> entries_;
  std::vector<Pool> pools_;  // by catalogue index
  // Nodes without the taint that shall have it, with its value.
  std::vector<std::pair<const model::NodeState*, std::string>> wanting_;
  std::vector<TaintChange> changes_;
};

}  // namespace

std::vector<TaintChange> PlanTaints(const model::ClusterView& view,
                                    const model::AcceleratorCatalog& catalog,
                                    const TaintRules& rules, const std::set<std::string>& written,
                                    model::Time now) {
  return TaintPlanner(view, catalog, rules, written, now).Plan();
}

}  // namespace berth::controller
