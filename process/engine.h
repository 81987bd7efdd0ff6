#pragma once

#include <memory>

#include "admission/reviewer.h"
#include "config/config.h"
#include "model/accelerator.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

// Makes engines from a validated configuration. Servers and commands both use these functions, so
// `berth explain` and the extender, or `berth mutate` and the webhook, cannot differ.

namespace berth::process {

/// The scheduling engine of a configuration, and the catalogue that it uses.
struct Engine {
  std::shared_ptr<const model::AcceleratorCatalog> catalog;
  /// Shares ownership of the catalogue.
  std::shared_ptr<const policies::scheduling::SchedulingEngine> scheduling;
};

/// Makes the engine of `config`, which must be valid.
Engine MakeEngine(const config::BerthConfiguration& config);

/// The same, with a catalogue that was made earlier from the same accelerators. So the engine can
/// share it with a snapshot.
Engine MakeEngine(const config::BerthConfiguration& config,
                  std::shared_ptr<const model::AcceleratorCatalog> catalog);

/// Makes what judges admission reviews by `config`, which must be valid.
std::shared_ptr<const admission::Reviewer> MakeReviewer(const config::BerthConfiguration& config);

/// The present time by the machine's clock, in whole seconds.
model::Time Now();

}  // namespace berth::process
