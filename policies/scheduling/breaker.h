#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/health_config.h"

// The breaker of health conditions, as a function of the cluster: it keeps no state, so replicas
// agree, and it closes by itself when fewer nodes have the condition.

namespace berth::policies::scheduling {

/// A type of condition in one pool.
struct Breaker {
  model::AcceleratorCatalog::Index accelerator = model::AcceleratorCatalog::kNone;
  std::string condition;
  bool tripped = false;
  /// Nodes of the pool, and how many of them have the condition.
  std::size_t nodes = 0;
  std::size_t affected = 0;
};

/// Whether `entry` of `config` has an effect on too many nodes of the pool of `accelerator`. A node
/// counts where the condition is True, however briefly or stale, and where it is Unknown or a stale
/// False if that excludes.
bool IsTripped(const HealthCondition& entry, const HealthConfig& config,
               const model::PoolStats& pools, model::AcceleratorCatalog::Index accelerator,
               model::Time now);

/// Every type of `config` in every pool of `catalog`, in their orders. Of several entries of a type
/// the one that counts most nodes tells.
std::vector<Breaker> Breakers(const HealthConfig& config, const model::AcceleratorCatalog& catalog,
                              const model::PoolStats& pools, model::Time now);

}  // namespace berth::policies::scheduling
