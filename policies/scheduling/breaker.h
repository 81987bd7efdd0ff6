#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/health_config.h"

// The breaker of health conditions. A condition that is on a large share of a pool's nodes at once
// is more likely a fault of its detector than of the nodes. A breaker is a pure function of the
// cluster and of what the snapshot remembers of it: it keeps no state of its own, so all replicas
// that have seen the same agree, and it closes by itself when fewer nodes have the condition.

namespace berth::policies::scheduling {

/// The state of the breaker for one condition type in one pool, the nodes of one catalogue entry.
/// For example: GPUIsLost is on 60 of the 100 V100 nodes, so with fraction 0.5 the breaker has
/// tripped.
struct Breaker {
  /// The pool's catalogue entry.
  model::AcceleratorCatalog::Index accelerator = model::AcceleratorCatalog::kNone;
  /// Type of the node condition.
  std::string condition;
  bool tripped = false;
  /// Number of nodes in the pool, and how many of them the condition affects (see IsTripped).
  std::size_t nodes = 0;
  std::size_t affected = 0;
};

/// Whether `entry` of `config` affects more than the configured fraction of the pool of
/// `accelerator`. Always false for pools of fewer than `config.breaker.min_nodes` nodes.
///
/// A node counts as affected if the condition is bad, however briefly and however old its
/// heartbeat. It also counts if the condition is Unknown and was bad for long before, and so keeps
/// its effect: a detector that was wrong about most of a pool is not right when it can look no
/// more. Otherwise it counts if the condition is Unknown, or well with a stale heartbeat, provided
/// that the configuration excludes nodes for Unknown.
bool IsTripped(const HealthCondition& entry, const HealthConfig& config,
               const model::PoolStats& pools, model::AcceleratorCatalog::Index accelerator,
               model::Time now);

/// One breaker for each condition type of `config` in each pool of `catalog`, in the order of the
/// catalogue and then of `config`. If `config` has several entries for one type, the entry that
/// affects most nodes decides.
std::vector<Breaker> Breakers(const HealthConfig& config, const model::AcceleratorCatalog& catalog,
                              const model::PoolStats& pools, model::Time now);

}  // namespace berth::policies::scheduling
