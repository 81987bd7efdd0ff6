#include "process/engine.h"

#include <chrono>
#include <utility>

#include "policies/admission/framework_profiles.h"
#include "process/version.h"

namespace berth::process {

namespace {

std::shared_ptr<const model::AcceleratorCatalog> MakeCatalog(
    const config::BerthConfiguration& config) {
  return std::make_shared<const model::AcceleratorCatalog>(
      model::AcceleratorCatalog::Make(config.accelerators).value());
}

}  // namespace

Engine MakeEngine(const config::BerthConfiguration& config) {
  return MakeEngine(config, MakeCatalog(config));
}

Engine MakeEngine(const config::BerthConfiguration& config,
                  std::shared_ptr<const model::AcceleratorCatalog> catalog) {
  auto scheduling = std::make_shared<const policies::scheduling::SchedulingEngine>(
      catalog, config.prefix, config.scheduling);
  return {std::move(catalog), std::move(scheduling)};
}

std::shared_ptr<const admission::Reviewer> MakeReviewer(const config::BerthConfiguration& config) {
  const policies::admission::AdmissionConfig& judgement = config.admission.judgement;
  auto engine = std::make_shared<const policies::admission::AdmissionEngine>(
      MakeCatalog(config), config.prefix, Version(), judgement);
  return std::make_shared<const admission::Reviewer>(
      std::move(engine), policies::admission::AllTemplates(judgement),
      policies::admission::Lists(judgement, policies::admission::Framework::kKueue));
}

model::Time Now() { return std::chrono::floor<model::Duration>(std::chrono::system_clock::now()); }

}  // namespace berth::process
