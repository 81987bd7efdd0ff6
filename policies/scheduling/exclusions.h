#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/health_config.h"

// Which nodes are excluded now, one by one: what people are told of, and what is counted as lost.

namespace berth::policies::scheduling {

/// A node that gets no pods, or none that ask for some resources, because of a condition. A plain
/// value.
struct Exclusion {
  std::string node;
  /// Empty unless the view keeps UIDs.
  std::string uid;
  /// The node's pool; kNone if the catalogue does not know the node.
  model::AcceleratorCatalog::Index accelerator = model::AcceleratorCatalog::kNone;
  /// Type of the condition.
  std::string condition;
  /// HealthCondition::resources of the entry; empty if it refuses all pods.
  std::vector<std::string> resources = {};
  /// How many devices of its pool the node has installed, 0 if unknown.
  std::int64_t devices = 0;
  /// When the fault began, as in ExcludedSince(); kNoTime if nobody knows.
  model::Time since = model::kNoTime;

  friend bool operator==(const Exclusion&, const Exclusion&) = default;
};

/// Returns the nodes that an entry of AllConditions(config) excludes as of `now`, the longest
/// excluded first, and then in the order of the view. A node is there once for each of its entries.
///
/// Entries that tell of maintenance are left out, because nothing is broken. So are those that a
/// tripped breaker weakens to Penalize in the node's pool, and nodes in quarantine, about which
/// nothing is known.
///
/// Visits every node once for each entry. No I/O, no clock; thread-safe.
std::vector<Exclusion> Exclusions(const HealthConfig& config,
                                  const model::AcceleratorCatalog& catalog,
                                  const model::ClusterView& view, model::Time now);

}  // namespace berth::policies::scheduling
