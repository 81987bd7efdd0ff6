#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/policies/admission/fixtures.h"

// Requests and limits in few words: "1/2" requests 1 and is limited to 2, "-/2" has no request,
// "1/-" no limit, "-" neither; "2" is both.
namespace berth::policies::admission {

inline void SetSize(std::string_view resource, std::string_view size,
                    model::ResourceRequirements& resources) {
  const std::size_t slash = size.find('/');
  const std::string_view request = size.substr(0, slash);
  const std::string_view limit = slash == std::string_view::npos ? size : size.substr(slash + 1);
  if (request != "-") resources.requests.insert_or_assign(std::string(resource), Q(request));
  if (limit != "-") resources.limits.insert_or_assign(std::string(resource), Q(limit));
}

inline model::ResourceRequirements Sizes(std::string_view cpu, std::string_view memory,
                                         std::string_view gpus = "-") {
  model::ResourceRequirements resources;
  SetSize("cpu", cpu, resources);
  SetSize("memory", memory, resources);
  SetSize(kGpu, gpus, resources);
  return resources;
}

inline model::Container Sized(std::string name, std::string_view cpu, std::string_view memory,
                              std::string_view gpus = "-") {
  return MakeContainer(std::move(name), Sizes(cpu, memory, gpus));
}

inline model::Container Init(model::Container container) {
  container.init = true;
  return container;
}

inline model::Container Sidecar(model::Container container) {
  container.init = container.sidecar = true;
  return container;
}

inline std::string SizeOf(std::string_view resource, const model::ResourceRequirements& resources) {
  const auto text = [resource](const model::ResourceList& list) {
    const auto found = list.find(resource);
    return found == list.end() ? std::string("-") : found->second.text();
  };
  const std::string request = text(resources.requests);
  const std::string limit = text(resources.limits);
  return request == limit ? limit : request + "/" + limit;
}

/// "2 4Gi"
inline std::string SizeOf(const model::ResourceRequirements& resources) {
  return SizeOf("cpu", resources) + " " + SizeOf("memory", resources);
}

/// Of every container, in their order.
inline std::vector<std::string> SizesOf(const model::Workload& workload) {
  std::vector<std::string> sizes;
  for (const model::Container& container : workload.pod.containers) {
    sizes.push_back(SizeOf(container.resources));
  }
  return sizes;
}

}  // namespace berth::policies::admission
