#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/health_config.h"

namespace berth::controller {

/// The value of the label on a node that may be repaired. Every other value is an administrator's.
inline constexpr std::string_view kRepairAllowed = "allowed";

/// Which nodes may be repaired. A plain value.
struct RepairRules {
  /// The label's full name: "berth.dev/repair".
  std::string label;
  /// If false, no node gets the label, and those that have it lose it.
  bool enabled = false;
  /// The share of a pool's nodes that may be away, above 0 and at most 1.
  double max_share = 0.1;
  /// The conditions that exclude nodes, and their breaker.
  policies::scheduling::HealthConfig health;
};

/// A node whose label is to be changed. A plain value.
struct RepairChange {
  std::string node;
  std::string uid;
  /// Whether the node shall have the label with the value kRepairAllowed, or not have it.
  bool allowed = false;

  friend bool operator==(const RepairChange&, const RepairChange&) = default;
};

/// Returns the nodes whose label is not as it shall be at `now`, those that lose it first. The view
/// must keep the label, model::kOperatingTaint and the UIDs of nodes.
///
/// The label is for node-operation-controller, which repairs whatever node its templates select,
/// and knows no limit but that of its own taints. A node shall have it while an entry of
/// `health.conditions` excludes it whose breaker is not tripped in the node's pool; and while at
/// most `max_share` of the pool's nodes, rounded down but at least one, is away, because what takes
/// many nodes at once is not cured by reboots. A node that is being repaired keeps the label in any
/// case: without it, node-operation-controller would give up halfway.
///
/// A node is away that an entry excludes, also for some pods only and although its breaker is
/// tripped; that is not Ready or cordoned; or that is being repaired, which is to say that it has
/// model::kOperatingTaint.
///
/// Entries that tell of maintenance, not of a fault, give no label. By one with a max-runtime,
/// which announces maintenance, a node is not away, either. Nodes outside the catalogue are in no
/// pool and never get the label. A node in quarantine stays as it is. So does a label with another
/// value, and its node is not repaired.
///
/// It judges every node by the conditions that count, in a few milliseconds for 10,000 nodes. No
/// I/O, no clock; thread-safe.
std::vector<RepairChange> PlanRepairs(const model::ClusterView& view,
                                      const model::AcceleratorCatalog& catalog,
                                      const RepairRules& rules, model::Time now);

}  // namespace berth::controller
