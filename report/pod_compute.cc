#include "report/pod_compute.h"

#include <string>

#include "kube/pod_requests.h"

namespace berth::report {

namespace {

kube::ResourceList ComputeIn(const model::ResourceList& list) {
  kube::ResourceList result;
  for (const char* name : {"cpu", "memory"}) {
    const auto found = list.find(name);
    if (found != list.end()) result.emplace(name, found->second.amount());
  }
  return result;
}

kube::ResourceRequirements ComputeIn(const model::ResourceRequirements& resources) {
  return {.requests = ComputeIn(resources.requests), .limits = ComputeIn(resources.limits)};
}

}  // namespace

Compute ComputeOf(const model::PodTemplate& pod) {
  kube::PodResources resources;
  for (const model::Container& container : pod.containers) {
    kube::ResourceRequirements own = ComputeIn(container.resources);
    if (container.init) {
      resources.init_containers.push_back(
          {.resources = std::move(own), .restartable = container.sidecar});
    } else {
      resources.containers.push_back(std::move(own));
    }
  }
  if (pod.resources) resources.pod_level = ComputeIn(*pod.resources);
  const model::Resources requests = kube::PodRequests(resources);
  return {.cpu = requests.Get("cpu"), .memory = requests.Get("memory")};
}

}  // namespace berth::report
