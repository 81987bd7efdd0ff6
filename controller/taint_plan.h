#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/health_config.h"

namespace berth::controller {

/// Which nodes get Berth's taint. A plain value.
struct TaintRules {
  /// Its full name: "berth.dev/excluded".
  std::string key;
  /// If false, no node gets it, and those that have it lose it.
  bool enabled = false;
  /// The conditions that exclude nodes, and their breaker.
  policies::scheduling::HealthConfig health;
};

/// A node whose taint is to be changed. A plain value.
struct TaintChange {
  std::string node;
  std::string uid;
  /// The value that the taint shall have: the type of the condition that excludes the node, or ""
  /// if that cannot be a taint's value. Nothing if the taint shall be removed.
  std::optional<std::string> value;

  friend bool operator==(const TaintChange&, const TaintChange&) = default;
};

/// Returns the nodes whose taint with the effect NoSchedule is not as it shall be at `now`, those
/// that have one first. The view must keep the taint and the UIDs of nodes.
///
/// A node shall have the taint while an entry of `health.conditions` excludes it for all pods, that
/// is an entry without `resources`: the taint keeps pods off that such an entry is not about. The
/// first entry that excludes it gives the value. Other nodes shall not have it, nor shall a node
/// that the catalogue does not know, because it is in no pool. And a pool is never given up because
/// of a detector that errs:
/// - An entry whose breaker is tripped in the node's pool does not count, whatever the breaker's
///   action is.
/// - At most `health.breaker.fraction` of a pool's nodes has the taint, rounded down, also in pools
///   that are too small for a breaker. Nodes that have it come first, then the order of the view.
///
/// A node in quarantine stays as it is, because it is unknown what it has now; only if the rules
/// are not enabled, its taint is removed, too.
///
/// `written` are the names of nodes that were given the taint although the view does not have it
/// yet. They count, so that the share holds, and are not returned.
///
/// It judges every node by the conditions that count, in a few milliseconds for 10,000 nodes. No
/// I/O, no clock; thread-safe.
std::vector<TaintChange> PlanTaints(const model::ClusterView& view,
                                    const model::AcceleratorCatalog& catalog,
                                    const TaintRules& rules, const std::set<std::string>& written,
                                    model::Time now);

}  // namespace berth::controller
