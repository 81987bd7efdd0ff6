#include "cli/engine.h"

#include <chrono>

namespace berth::cli {

Engine MakeEngine(const BerthConfiguration& config) {
  return MakeEngine(config, std::make_shared<const model::AcceleratorCatalog>(
                                model::AcceleratorCatalog::Make(config.accelerators).value()));
}

Engine MakeEngine(const BerthConfiguration& config,
                  std::shared_ptr<const model::AcceleratorCatalog> catalog) {
  auto scheduling = std::make_shared<const scheduling::SchedulingEngine>(catalog, config.prefix,
                                                                         config.scheduling);
  return {std::move(catalog), std::move(scheduling)};
}

model::Time Now() { return std::chrono::floor<model::Duration>(std::chrono::system_clock::now()); }

}  // namespace berth::cli
