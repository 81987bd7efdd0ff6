#pragma once

#include <memory>

#include "admission/reviewer.h"
#include "config/config.h"
#include "model/accelerator.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::process {

/// The engine of a configuration that has been validated; its catalogue is catalog's.
struct Engine {
  std::shared_ptr<const model::AcceleratorCatalog> catalog;
  std::shared_ptr<const policies::scheduling::SchedulingEngine> scheduling;
};

/// The one way from configuration to engine, so that servers and explain cannot differ.
Engine MakeEngine(const config::BerthConfiguration& config);

/// The same, with the catalogue that was made from these accelerators before.
Engine MakeEngine(const config::BerthConfiguration& config,
                  std::shared_ptr<const model::AcceleratorCatalog> catalog);

/// What judges admission reviews by a configuration that has been validated.
std::shared_ptr<const admission::Reviewer> MakeReviewer(const config::BerthConfiguration& config);

/// By the machine's clock.
model::Time Now();

}  // namespace berth::process
