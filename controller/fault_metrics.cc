#include "controller/fault_metrics.h"

#include <prometheus/registry.h>

#include <chrono>

#include "policies/scheduling/health_profiles.h"

namespace berth::controller {

namespace {

// From a condition that is seen at once to a node that waits two weeks for a spare part.
prometheus::Histogram::BucketBoundaries Buckets() {
  return {1, 2, 5, 10, 30, 60, 300, 600, 1800, 3600, 14400, 86400, 259200, 1209600};
}

prometheus::Family<prometheus::Histogram>& AddFamily(server::Metrics& metrics, const char* name,
                                                     const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(metrics.registry());
}

}  // namespace

FaultMetrics::FaultMetrics(server::Metrics& metrics)
    : excluded_(&AddFamily(metrics, "berth_fault_exclusion_delay_seconds",
                           "From the beginning of a fault to the exclusion of its node.")),
      vacated_(&AddFamily(metrics, "berth_fault_vacated_delay_seconds",
                          "From the beginning of a fault until no pod held a device of its node.")),
      returned_(&AddFamily(metrics, "berth_fault_return_delay_seconds",
                           "From the beginning of a fault until it excluded its node no more.")) {}

void FaultMetrics::Expect(const policies::scheduling::HealthConfig& health) {
  for (const auto& entry : policies::scheduling::AllConditions(health)) {
    if (entry.effect != policies::scheduling::Effect::kExclude) continue;
    if (entry.IsMaintenance()) continue;
    for (auto* const family : {excluded_, vacated_, returned_}) {
      family->Add({{"condition", entry.type}}, Buckets());
    }
  }
}

void FaultMetrics::OnChange(const FaultChange& change) {
  if (!change.after) return;
  using What = FaultChange::What;
  auto* const family = change.what == What::kExcluded  ? excluded_
                       : change.what == What::kVacated ? vacated_
                                                       : returned_;
  family->Add({{"condition", change.fault.condition}}, Buckets())
      .Observe(std::chrono::duration<double>(*change.after).count());
}

}  // namespace berth::controller
