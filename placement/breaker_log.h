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

/// Logs changes of the breakers of health conditions: a warning when one trips, an info line when
/// it resets. Each line names the accelerator, the condition and the numbers of nodes. It notices
/// changes only when Update() is called. Thread-safe.
class BreakerLog {
 public:
  /// Compares with the breakers of the last call, and logs the differences. `breakers` must be all
  /// breakers of the present configuration; one that is missing is forgotten without a line.
  void Update(const std::vector<policies::scheduling::Breaker>& breakers,
              const model::AcceleratorCatalog& catalog, policies::scheduling::BreakerAction action);

 private:
  using Key = std::pair<std::string, std::string>;  // accelerator, condition

  std::mutex mutex_;
  // The breakers that were tripped at the last call.
  std::set<Key> tripped_;
};

}  // namespace berth::placement
