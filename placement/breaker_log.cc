#include "placement/breaker_log.h"

#include <utility>

#include "server/log.h"

namespace berth::placement {

namespace {

using policies::scheduling::Breaker;
using server::Log;
using server::LogLevel;

void LogTripped(const Breaker& breaker, const std::string& accelerator,
                policies::scheduling::BreakerAction action) {
  const bool alert = action == policies::scheduling::BreakerAction::kAlert;
  Log(LogLevel::kWarning, "breaker tripped: a condition is on suspiciously many nodes",
      {{"accelerator", accelerator},
       {"condition", breaker.condition},
       {"affectedNodes", breaker.affected},
       {"nodes", breaker.nodes},
       {"effect", alert ? "unchanged, because health.breaker.action is Alert"
                        : "Penalize instead of Exclude"}});
}

void LogReset(const Breaker& breaker, const std::string& accelerator) {
  Log(LogLevel::kInfo, "breaker reset: the condition has its configured effect",
      {{"accelerator", accelerator},
       {"condition", breaker.condition},
       {"affectedNodes", breaker.affected},
       {"nodes", breaker.nodes}});
}

}  // namespace

void BreakerLog::Update(const std::vector<Breaker>& breakers,
                        const model::AcceleratorCatalog& catalog,
                        policies::scheduling::BreakerAction action) {
  const std::lock_guard lock(mutex_);
  // Breakers that are missing, because the configuration has changed, are forgotten.
  std::set<Key> tripped;
  for (const Breaker& breaker : breakers) {
    const std::string& accelerator = catalog[breaker.accelerator].name;
    Key key(accelerator, breaker.condition);
    const bool was_tripped = tripped_.contains(key);
    if (breaker.tripped && !was_tripped) LogTripped(breaker, accelerator, action);
    if (!breaker.tripped && was_tripped) LogReset(breaker, accelerator);
    if (breaker.tripped) tripped.insert(std::move(key));
  }
  tripped_ = std::move(tripped);
}

}  // namespace berth::placement
