#include "kube/pod_requests.h"

#include <string_view>

namespace berth::kube {
namespace {

void Add(ResourceList& sum, const ResourceList& list) {
  for (const auto& [name, amount] : list) sum[name] += amount;
}

void RaiseTo(ResourceList& list, const ResourceList& other) {
  for (const auto& [name, amount] : other) {
    const auto [it, inserted] = list.try_emplace(name, amount);
    if (it->second < amount) it->second = amount;
  }
}

/// Returns the requests, with limits in place of missing ones.
ResourceList Requests(const ResourceRequirements& container) {
  ResourceList requests = container.requests;
  requests.insert(container.limits.begin(), container.limits.end());
  return requests;
}

/// Containers run beside all sidecars; an init container runs beside the sidecars that started
/// before it.
ResourceList ContainerRequests(const PodResources& pod) {
  ResourceList sum;
  for (const ResourceRequirements& container : pod.containers) Add(sum, Requests(container));

  ResourceList sidecars;
  ResourceList starting;  // the most that any step of the start requests
  for (const PodResources::InitContainer& container : pod.init_containers) {
    const ResourceList requests = Requests(container.resources);
    ResourceList step = sidecars;
    Add(step, requests);
    RaiseTo(starting, step);
    if (!container.restartable) continue;
    sidecars = step;
    Add(sum, requests);
  }
  RaiseTo(sum, starting);
  return sum;
}

bool IsHugePages(std::string_view name) { return name.starts_with("hugepages-"); }

bool IsPodLevelResource(std::string_view name) {
  return name == "cpu" || name == "memory" || IsHugePages(name);
}

/// Overrides the sum with what the pod itself states: its requests, and its limits if neither it
/// nor its containers have a request. (Huge pages cannot be overcommitted, so the pod's limit
/// overrides their containers' requests.)
void ApplyPodLevel(const ResourceRequirements& pod_level, ResourceList& sum) {
  const ResourceList containers = sum;
  for (const auto& [name, limit] : pod_level.limits) {
    const bool stands_in = IsHugePages(name) || !containers.contains(name);
    if (IsPodLevelResource(name) && stands_in) sum[name] = limit;
  }
  for (const auto& [name, request] : pod_level.requests) {
    if (IsPodLevelResource(name)) sum[name] = request;
  }
}

}  // namespace

model::Resources PodRequests(const PodResources& pod) {
  ResourceList sum = ContainerRequests(pod);
  ApplyPodLevel(pod.pod_level, sum);
  Add(sum, pod.overhead);
  return ToModel(sum);
}

model::Resources ToModel(const ResourceList& list) {
  model::Resources resources;
  for (const auto& [name, amount] : list) {
    resources.Set(name, name == "cpu" ? amount.MilliValue() : amount.Value());
  }
  return resources;
}

}  // namespace berth::kube
