#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/accelerator.h"
#include "model/workload.h"

namespace berth::policies::admission {

struct PolicyContext;

/// The DeviceClass whose devices a container requests by its implicit resource
/// (ResourceDeviceClassPrefix in k8s.io/api/resource/v1); empty if it is no such resource. Points
/// into `resource`.
std::string_view DeviceClassOf(std::string_view resource);

/// Finds what a pod asks for that may be an accelerator although the catalogue lacks it. Nobody
/// knows what such a device brings with it or which nodes have it, so policies make no guesses
/// about the pod.
///
/// Unknown devices are:
/// - extended resources (IsExtendedResourceName in
///   k8s.io/kubernetes/pkg/apis/core/v1/helper/helpers.go, v1.36.3) that are neither in the
///   catalogue nor ordinary by `admission.ordinaryResources`;
/// - the implicit resources of DeviceClasses, deviceclass.resource.kubernetes.io/<class>;
/// - the annotations of `admission.fractionAnnotations`, by which other schedulers share devices.
///
/// What the context refers to must outlive the object. Immutable, so thread-safe.
class UnknownDevices {
 public:
  explicit UnknownDevices(const PolicyContext& context);

  /// The first unknown device that a container of the pod asks for, or the first annotation that
  /// asks for one; empty if there is none. Points into `pod` or the configuration.
  std::string_view In(const model::PodTemplate& pod) const;

  /// The annotation by which the pod asks for a part of a device; empty if there is none. Points
  /// into the configuration.
  std::string_view AskedByAnnotation(const model::PodTemplate& pod) const;

  /// The first unknown device among the container's limits and requests above zero; empty if there
  /// is none. Points into `container`.
  std::string_view In(const model::Container& container) const;

 private:
  bool IsUnknown(std::string_view resource) const;

  const model::AcceleratorCatalog& catalog_;
  const std::span<const std::string> ordinary_;
  const std::span<const std::string> annotations_;
};

}  // namespace berth::policies::admission
