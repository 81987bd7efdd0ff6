#include "policies/admission/policy.h"

#include <algorithm>

namespace berth::admission {

std::string PodSpecField(const model::Workload& workload) {
  if (workload.is_pod()) return "spec";
  return workload.kind == "CronJob" ? "spec.jobTemplate.spec.template.spec" : "spec.template.spec";
}

bool AsksForAccelerators(const model::PodTemplate& pod, const model::AcceleratorCatalog& catalog) {
  return std::ranges::any_of(catalog.resources(), [&pod](const std::string& resource) {
    return std::ranges::any_of(pod.containers, [&resource](const model::Container& container) {
      return IsSet(container.resources.limits, resource) ||
             IsSet(container.resources.requests, resource);
    });
  });
}

}  // namespace berth::admission
