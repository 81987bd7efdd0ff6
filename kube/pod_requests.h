#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/amount.h"
#include "model/resources.h"

namespace berth::kube {

/// A v1.ResourceList with exact amounts, by resource name.
using ResourceList = std::map<std::string, model::Amount, std::less<>>;

/// A v1.ResourceRequirements with exact amounts.
struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;
};

/// The fields of a v1.PodSpec that determine how much the pod requests.
struct PodResources {
  /// One entry of spec.initContainers.
  struct InitContainer {
    ResourceRequirements resources;
    /// Whether the restart policy is "Always": it is a sidecar, which keeps running beside the
    /// containers.
    bool restartable = false;
  };

  /// spec.containers.
  std::vector<ResourceRequirements> containers;
  std::vector<InitContainer> init_containers;  // in the order in which they start
  /// spec.overhead: what the pod's runtime class adds.
  ResourceList overhead;
  /// spec.resources: cpu, memory and huge pages for the whole pod, which override its containers'.
  ResourceRequirements pod_level;
};

/// Returns what the whole pod requests, as PodRequests of
/// k8s.io/component-helpers/resource/helpers.go (v0.36.3) computes it:
/// 1. the sum of the containers and sidecars, or, if that is more, what the start needs: each init
///    container together with the sidecars that started before it;
/// 2. overridden by what the pod itself states in spec.resources;
/// 3. plus the overhead.
///
/// The defaulting by the API server (SetDefaults_Pod in
/// k8s.io/kubernetes/pkg/apis/core/v1/defaults.go) is applied first, for pods that have not been
/// stored yet.
///
/// Resizes in place that are in progress are not considered. Only cpu and memory can be resized.
/// kube-scheduler counts the most of what the spec, kubelet's decision and the running container
/// say, and leaves out a spec that kubelet rejected as infeasible (determineEffectiveRequests). So
/// this is too little while a container shrinks, and too much after such a rejection. Reading the
/// status of every container would double the work for each pod, and kube-scheduler refuses a node
/// that has too little after all.
model::Resources PodRequests(const PodResources& pod);

/// Converts to the units of model::Resources: "cpu" to thousandths and everything else to whole
/// units, rounded up.
model::Resources ToModel(const ResourceList& list);

}  // namespace berth::kube
