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

/// How much cpu and memory the devices bring with them that a pod's containers request. Nobody
/// knows yet where the pod will run. So a device counts as the model with the smallest share, among
/// the models that the pod names or, if none of these serves the resource, among all that serve it.
/// The share is not known if none of these models has one in the catalogue.
///
/// Example: with shares of 4 cores for V100 and 8 cores for A100, two devices of a pod that names
/// no model bring 2 x 4 cores.
///
/// The catalogue must outlive the object. Immutable, so thread-safe.
class DeviceShares {
 public:
  /// `models` is the value of the pod's annotation: names, separated by commas. The text must
  /// outlive the constructor only.
  DeviceShares(const model::AcceleratorCatalog& catalog, std::string_view models);

  /// Whether the container requests a device of the catalogue.
  bool AsksForDevices(const model::Container& container) const;

  /// The share of all devices of the container: zero without devices, nothing if a share is not
  /// known.
  std::optional<model::Amount> Of(const model::Container& container, Compute resource) const;

  /// The container's devices, for remarks: "2 x V100". Names the resource instead of a model if no
  /// single model has the smallest share of both cpu and memory.
  std::string DevicesOf(const model::Container& container) const;

 private:
  // What one device of a resource brings with it, and what to call the device.
  struct PerDevice {
    std::string_view resource;
    PerCompute<std::optional<model::Amount>> share;
    std::string_view name;
  };
  // The smallest share of one device of `resource`.
  static PerDevice Least(const model::AcceleratorCatalog& catalog, std::string_view resource,
                         const std::vector<std::string_view>& models);

  // One element for each resource of the catalogue.
  std::vector<PerDevice> resources_;
};

}  // namespace berth::policies::admission
