#include "policies/admission/qos.h"

namespace berth::admission {

bool IsGuaranteed(const model::ResourceRequirements& resources) {
  return std::ranges::all_of(kCompute, [&resources](Compute resource) {
    const model::Quantity* limit = Given(resources.limits, resource);
    const model::Quantity* request = Given(resources.requests, resource);
    return limit != nullptr && limit->Sign() > 0 && request != nullptr && *request == *limit;
  });
}

bool IsGuaranteed(const model::PodTemplate& pod) {
  if (pod.resources) return IsGuaranteed(*pod.resources);
  return std::ranges::all_of(pod.containers, [](const model::Container& container) {
    return IsGuaranteed(container.resources);
  });
}

bool HasMemoryLimits(const model::PodTemplate& pod) {
  const std::string_view memory = NameOf(Compute::kMemory);
  if (pod.resources && model::IsSet(pod.resources->limits, memory)) return true;
  return std::ranges::all_of(pod.containers, [memory](const model::Container& container) {
    return model::IsSet(container.resources.limits, memory);
  });
}

model::Amount EffectiveRequest(const model::PodTemplate& pod, Compute resource) {
  return EffectiveNeed(pod, [resource](const model::Container& container) {
    const model::Quantity* request = Given(container.resources.requests, resource);
    return request == nullptr ? model::Amount() : request->amount();
  });
}

}  // namespace berth::admission
