#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/amount.h"
#include "model/workload.h"
#include "policies/admission/compute.h"
#include "policies/admission/device_shares.h"
#include "policies/admission/guaranteed_qos_config.h"

namespace berth::policies::admission {

/// The default sizes of the containers that set neither a request nor a limit:
/// - A container with devices gets their share. The sizes of the containers beside it are
///   subtracted from the largest share, so that the pod requests no more than its devices bring
///   with them.
/// - A main container in a pod without devices gets the configured size.
/// - All others, mainly init containers and sidecars, get a small size.
///
/// Init containers get no more than the main containers together. Otherwise the pod would request
/// more only because of them. A reduced share is rounded down to whole cores, because kubelet
/// reserves only whole cores for a container.
///
/// Example: a container with 2 V100, each with a share of 4 cores, beside a sidecar. The sidecar
/// gets 100m, and the container 7 cores instead of 8.
class DefaultSizes {
 public:
  /// Computes all sizes. `pod` is in the state after EqualizeContainers. All three arguments must
  /// outlive the object.
  DefaultSizes(const model::PodTemplate& pod, const DeviceShares& shares,
               const GuaranteedQosConfig& config);

  /// The size of the container at that position in pod.containers. Nothing if the catalogue has no
  /// share for the container's devices. Says nothing about whether the container needs the default.
  std::optional<model::Amount> Of(std::size_t container, Compute resource) const {
    return sizes_[resource][container];
  }

  /// Where the size comes from, for remarks: "2 x V100", "default".
  std::string ReasonOf(std::size_t index) const;

 private:
  using Sizes = std::vector<std::optional<model::Amount>>;

  // The size before anything is subtracted.
  std::optional<model::Amount> SizeOf(std::size_t index, Compute resource) const;

  // Subtracts the sizes of containers without devices from the largest share.
  void TakeFromLargest(Compute resource);

  // Limits init containers to what the main containers request.
  void LimitInitContainers(Compute resource);

  const model::PodTemplate& pod_;
  const DeviceShares& shares_;
  const GuaranteedQosConfig& config_;
  std::vector<bool> has_devices_;  // by position of the container
  bool pod_has_devices_ = false;
  // By resource, then by position of the container.
  PerCompute<Sizes> sizes_;
  std::optional<std::size_t> reduced_;  // the container whose share was reduced for the others
};

/// The default size of the pod as a whole, for a pod whose spec.resources has neither request nor
/// limit. Nothing if the catalogue has no share for one of the pod's devices.
std::optional<model::Amount> DefaultPodSize(const model::PodTemplate& pod,
                                            const DeviceShares& shares,
                                            const GuaranteedQosConfig& config, Compute resource);

}  // namespace berth::policies::admission
