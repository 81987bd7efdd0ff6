#include "policies/admission/unknown_devices.h"

#include <fnmatch.h>

#include <algorithm>

#include "model/label.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

namespace {

constexpr std::string_view kDeviceClass = "deviceclass.resource.kubernetes.io/";

}  // namespace

std::string_view DeviceClassOf(std::string_view resource) {
  if (!resource.starts_with(kDeviceClass)) return {};
  return resource.substr(kDeviceClass.size());
}

UnknownDevices::UnknownDevices(const PolicyContext& context)
    : catalog_(context.catalog),
      ordinary_(context.ordinary_resources),
      annotations_(context.fraction_annotations) {}

std::string_view UnknownDevices::In(const model::PodTemplate& pod) const {
  for (const model::Container& container : pod.containers) {
    if (const std::string_view found = In(container); !found.empty()) return found;
  }
  return AskedByAnnotation(pod);
}

std::string_view UnknownDevices::AskedByAnnotation(const model::PodTemplate& pod) const {
  const auto asked = std::ranges::find_if(annotations_, [&pod](const std::string& annotation) {
    return model::Find(pod.annotations, annotation).has_value();
  });
  return asked == annotations_.end() ? std::string_view() : *asked;
}

std::string_view UnknownDevices::In(const model::Container& container) const {
  for (const auto* list : {&container.resources.limits, &container.resources.requests}) {
    for (const auto& [resource, quantity] : *list) {
      if (quantity.Sign() > 0 && IsUnknown(resource)) return resource;
    }
  }
  return {};
}

bool UnknownDevices::IsUnknown(std::string_view resource) const {
  if (resource.find('/') == std::string_view::npos || catalog_.HasResource(resource)) return false;
  const std::string name(resource);
  const bool is_ordinary = std::ranges::any_of(ordinary_, [&name](const std::string& pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
  if (is_ordinary) return false;
  return !DeviceClassOf(resource).empty() || model::IsExtendedResourceName(resource);
}

}  // namespace berth::policies::admission
