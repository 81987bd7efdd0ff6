#pragma once

#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/accelerator.h"
#include "policies/scheduling/breaker.h"
#include "policies/scheduling/health_config.h"

namespace berth::placement {

/// Writes a warning when a breaker of health conditions trips, and an info line when it resets, as
/// far as it is told. Thread-safe.
class BreakerLog {
 public:
  /// `breakers` are all there are now.
  void Update(const std::vector<policies::scheduling::Breaker>& breakers,
              const model::AcceleratorCatalog& catalog, policies::scheduling::BreakerAction action);

 private:
  using Key = std::pair<std::string, std::string>;  // accelerator, condition

  std::mutex mutex_;
  std::set<Key> tripped_;
};

}  // namespace berth::placement
