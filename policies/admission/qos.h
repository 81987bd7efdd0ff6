#pragma once

#include <algorithm>
#include <string_view>

#include "model/amount.h"
#include "model/workload.h"
#include "policies/admission/compute.h"

// Kubernetes' own rules about the QoS class and the resources of a pod as a whole.

namespace berth::policies::admission {

/// Whether the pod has QoS class Guaranteed by Kubernetes' own rule. If the pod has resources as a
/// whole, only these count; otherwise those of every container, including init containers
/// (ComputePodQOS in k8s.io/kubernetes/pkg/apis/core/v1/helper/qos/qos.go, v1.36.3). Kubernetes
/// compares sums. No request may exceed its limit, so equal sums mean that each request equals its
/// limit.
bool IsGuaranteed(const model::PodTemplate& pod);

/// Whether memory is limited in every container, or for the pod as a whole.
bool HasMemoryLimits(const model::PodTemplate& pod);

/// The amount that a pod needs if each container needs `need(container)`. Main containers run
/// beside each other. Init containers run before them, one by one, and sidecars beside everything
/// that starts after them (AggregateContainerRequests in
/// k8s.io/component-helpers/resource/helpers.go, v0.36.3).
template <typename Need>
model::Amount EffectiveNeed(const model::PodTemplate& pod, Need need) {
  /// Main containers and sidecars, which run at the same time.
  model::Amount together;
  /// The sidecars so far.
  model::Amount sidecars;
  /// The most that an init container needs, with the sidecars that run beside it.
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

/// The amount that the containers of the pod request together, by that rule.
model::Amount EffectiveRequest(const model::PodTemplate& pod, Compute resource);

}  // namespace berth::policies::admission
