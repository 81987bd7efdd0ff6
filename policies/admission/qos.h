#pragma once

#include <algorithm>
#include <string_view>

#include "model/amount.h"
#include "model/workload.h"
#include "policies/admission/compute.h"

namespace berth::policies::admission {

/// Whether the pod is of QoS class Guaranteed by Kubernetes' own rule: its resources of the whole
/// pod are guaranteed, where it has such, else those of every container, those for initialisation
/// included (ComputePodQOS in k8s.io/kubernetes/pkg/apis/core/v1/helper/qos/qos.go, v1.36.3). That
/// rule compares sums; as no request may exceed its limit, equal sums are equal summands.
bool IsGuaranteed(const model::PodTemplate& pod);

/// Whether memory is limited in every container, or in the pod as a whole.
bool HasMemoryLimits(const model::PodTemplate& pod);

/// What the pod needs of something of which every container needs `need(container)`: containers run
/// beside each other, init containers before them one by one, sidecars beside whatever follows them
/// (AggregateContainerRequests in k8s.io/component-helpers/resource/helpers.go, v0.36.3).
template <typename Need>
model::Amount EffectiveNeed(const model::PodTemplate& pod, Need need) {
  model::Amount together;
  model::Amount sidecars;
  model::Amount before;
  for (const model::Container& container : pod.containers) {
    const model::Amount own = need(container);
    const bool stays = !container.init || container.sidecar;
    if (stays) together += own;
    if (container.sidecar) sidecars += own;
    if (stays) continue;
    model::Amount then = sidecars;
    then += own;
    before = std::max(before, then);
  }
  return std::max(together, before);
}

/// What the containers request together.
model::Amount EffectiveRequest(const model::PodTemplate& pod, Compute resource);

}  // namespace berth::policies::admission
