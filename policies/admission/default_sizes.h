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

/// What the containers of a pod get that set neither a request nor a limit:
///   - with devices: their share. What the containers beside them get is taken off the largest of
///     these shares, so that the pod as a whole asks for no more than its devices bring with them;
///   - without devices, in a pod that has none: what is configured for it;
///   - all others, init containers and sidecars above all: something small.
/// Init containers get no more than those after them have together, or the pod would ask for more
/// on their behalf alone.
class DefaultSizes {
 public:
  /// `pod` as it is once what its containers do say is equalised. All three must outlive this.
  DefaultSizes(const model::PodTemplate& pod, const DeviceShares& shares,
               const GuaranteedQosConfig& config);

  /// None where it is not known, because the catalogue tells no share of the container's devices.
  std::optional<model::Amount> Of(std::size_t container, Compute resource) const {
    return sizes_[resource][container];
  }

  /// Where the size comes from: "2 x V100".
  std::string ReasonOf(std::size_t index) const;

 private:
  using Sizes = std::vector<std::optional<model::Amount>>;

  std::optional<model::Amount> SizeOf(std::size_t index, Compute resource) const;
  void TakeFromLargest(Compute resource);
  void LimitInitContainers(Compute resource);

  const model::PodTemplate& pod_;
  const DeviceShares& shares_;
  const GuaranteedQosConfig& config_;
  std::vector<bool> has_devices_;  // of each container
  bool pod_has_devices_ = false;
  PerCompute<Sizes> sizes_;
  std::optional<std::size_t> reduced_;  // the container that gave to the others
};

/// What a pod gets as a whole where its spec.resources says neither request nor limit. None where
/// it is not known.
std::optional<model::Amount> DefaultPodSize(const model::PodTemplate& pod,
                                            const DeviceShares& shares,
                                            const GuaranteedQosConfig& config, Compute resource);

}  // namespace berth::policies::admission
