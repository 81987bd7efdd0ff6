#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/workload.h"
#include "policies/admission/compute.h"

namespace berth::policies::admission {

/// What the devices that a pod's containers ask for bring with them of cpu and memory. As it is not
/// known where the pod will run, a device counts as the model that brings least: of those that the
/// pod names, else of all that have the resource. What no model says is not known.
/// The catalogue must outlive it.
class DeviceShares {
 public:
  /// `models` is the pod's annotation: names, separated by commas.
  DeviceShares(const model::AcceleratorCatalog& catalog, std::string_view models);

  /// Whether the container asks for a device of the catalogue.
  bool AsksForDevices(const model::Container& container) const;

  /// The share of all devices of the container; none where it is not known, zero without devices.
  std::optional<model::Amount> Of(const model::Container& container, Compute resource) const;

  /// "2 x V100"; the resource's name where not one model brings least of both.
  std::string DevicesOf(const model::Container& container) const;

 private:
  struct PerDevice {
    std::string_view resource;
    PerCompute<std::optional<model::Amount>> share;
    std::string_view name;
  };
  static PerDevice Least(const model::AcceleratorCatalog& catalog, std::string_view resource,
                         const std::vector<std::string_view>& models);

  std::vector<PerDevice> resources_;
};

}  // namespace berth::policies::admission
