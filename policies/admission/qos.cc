#include "policies/admission/qos.h"

namespace berth::policies::admission {

namespace {

bool AreSame(const model::Quantity* request, const model::Quantity* limit) {
  return limit != nullptr && limit->Sign() > 0 && request != nullptr && *request == *limit;
}

}  // namespace

bool IsGuaranteed(const model::PodTemplate& pod) {
  return std::ranges::all_of(kCompute, [&pod](Compute resource) {
    if (pod.resources) {
      return AreSame(Given(pod.resources->requests, resource),
                     Given(pod.resources->limits, resource));
    }
    return std::ranges::all_of(pod.containers, [resource](const model::Container& container) {
      return AreSame(RequestOf(container, resource), Given(container.resources.limits, resource));
    });
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
    const model::Quantity* request = RequestOf(container, resource);
    return request == nullptr ? model::Amount() : request->amount();
  });
}

}  // namespace berth::policies::admission
