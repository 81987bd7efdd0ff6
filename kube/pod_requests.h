#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/amount.h"
#include "model/resources.h"

namespace berth::kube {

/// A v1.ResourceList with exact amounts.
using ResourceList = std::map<std::string, model::Amount, std::less<>>;

/// A v1.ResourceRequirements.
struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;
};

/// What of a v1.PodSpec decides how much the pod asks for.
struct PodResources {
  struct InitContainer {
    ResourceRequirements resources;
    /// Restart policy "Always": a sidecar, which goes on beside the containers.
    bool restartable = false;
  };

  std::vector<ResourceRequirements> containers;
  std::vector<InitContainer> init_containers;  // in the order in which they start
  ResourceList overhead;
  /// spec.resources: cpu, memory and hugepages that hold for the pod whatever its containers say.
  ResourceRequirements pod_level;
};

/// What the whole pod asks for: PodRequests of k8s.io/component-helpers/resource/helpers.go
/// (v0.36.3), after the defaulting of a pod by the API server (SetDefaults_Pod in
/// k8s.io/kubernetes/pkg/apis/core/v1/defaults.go), for pods that have not been there yet. Amounts
/// that a resize in place has in flight are not looked at: only cpu and memory can be resized.
model::Resources PodRequests(const PodResources& pod);

/// "cpu" in thousandths, everything else in whole units; rounded up.
model::Resources ToModel(const ResourceList& list);

}  // namespace berth::kube
