#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/workload.h"
#include "policies/admission/compute.h"
#include "policies/admission/guaranteed_qos_config.h"
#include "policies/admission/unknown_devices.h"

namespace berth::policies::admission {

/// How much cpu and memory the devices bring with them that a pod's containers request. Nobody
/// knows yet where the pod will run. So a device counts as the model with the smallest share, among
/// the models that the pod names or, if none of these serves the resource, among all that serve it.
/// The share is not known if none of these models has one in the catalogue.
///
/// Example: with shares of 4 cores for V100 and 8 cores for A100, two devices of a pod that names
/// no model bring 2 x 4 cores.
///
/// A slice of a device brings a part of the device's share, in whole cores if it is one or more.
///
/// The catalogue and `unknown` must outlive the object. Immutable, so thread-safe.
class DeviceShares {
 public:
  /// `models` is the value of the pod's annotation: names, separated by commas. The text must
  /// outlive the constructor only. `unknown` finds devices that the catalogue lacks; null if there
  /// are none. `claims` are the shares of claimed devices, which must outlive the object.
  DeviceShares(const model::AcceleratorCatalog& catalog, std::string_view models,
               const UnknownDevices* unknown = nullptr, std::span<const ClaimShare> claims = {});

  /// Whether the container requests a device of the catalogue, or an unknown one, or uses a claim.
  bool AsksForDevices(const model::Container& container) const;

  /// The share of all devices of the container: zero without devices, nothing if a share is not
  /// known, which includes that of a claim. Unknown devices add nothing to those of the catalogue.
  std::optional<model::Amount> Of(const model::Container& container, Compute resource) const;

  /// The container's devices of the catalogue, for remarks: "2 x A100". Names a model only if the
  /// pod names it or no other serves the resource, and otherwise the resource: "2 x
  /// nvidia.com/gpu".
  std::string DevicesOf(const model::Container& container) const;

 private:
  // What one device of a resource brings with it, and what to call the device.
  struct PerDevice {
    PerCompute<std::optional<model::Amount>> share;
    std::string_view name;
  };
  // Counts by resource.
  using Counts = std::map<std::string_view, std::int64_t>;

  // The share of a claim or DeviceClass of that name; null if none is configured.
  const ClaimShare* ShareOfClaim(std::string_view name) const;
  // The container's devices that have a share in `claims`, by the names of claims and classes.
  Counts ClaimsIn(const model::Container& container) const;
  // The container's devices of the catalogue.
  Counts DevicesIn(const model::Container& container) const;
  // The entries of `resource` that the pod may get.
  std::vector<const model::AcceleratorSpec*> Candidates(std::string_view resource) const;
  // The smallest share of one device of `resource`.
  PerDevice Least(std::string_view resource) const;

  const model::AcceleratorCatalog& catalog_;
  const std::vector<std::string> models_;  // that the pod names
  const UnknownDevices* const unknown_;
  const std::span<const ClaimShare> claims_;
};

}  // namespace berth::policies::admission
