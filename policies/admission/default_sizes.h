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
/// - A companion, a container or sidecar without devices beside containers with devices, gets what
///   a main container gets in a pod without devices, as long as all companions together take no
///   more than a quarter of the largest share, or than the share that the containers with devices
///   leave over if all of them set their sizes. It gets the small size at least.
/// - A main container in a pod without devices gets the configured size, a sidecar the small one.
/// - An init container gets what the pod requests anyway for the containers after it, which costs
///   nothing: the pod requests the greater of both (AggregateContainerRequests in
///   k8s.io/component-helpers/resource/helpers.go, v0.36.3).
///
/// A reduced share is rounded down to whole cores, because kubelet reserves only whole cores for a
/// container.
///
/// Example: a container with 2 V100, each with a share of 4 cores, beside a sidecar. The sidecar
/// gets 1 core, the container 7 cores instead of 8, and an init container 8.
class DefaultSizes {
 public:
  /// Computes all sizes. `pod` is in the state after EqualizeContainers. All three arguments must
  /// outlive the object.
  DefaultSizes(const model::PodTemplate& pod, const DeviceShares& shares,
               const GuaranteedQosConfig& config);

  /// The size of the container at that position in pod.containers. Nothing if the share of the
  /// container's devices is not known. Says nothing about whether the container needs the default.
  std::optional<model::Amount> Of(std::size_t container, Compute resource) const {
    return sizes_[resource][container];
  }

  /// Where the size comes from, for remarks: "2 x A100", "of 2 x A100", "the pod's total",
  /// "default".
  std::string ReasonOf(std::size_t index) const;

 private:
  using Sizes = std::vector<std::optional<model::Amount>>;

  // Whether the container needs the default and runs beside the main containers.
  bool IsMissingBeside(std::size_t index, Compute resource) const;
  // The size before anything is subtracted.
  std::optional<model::Amount> SizeOf(std::size_t index, Compute resource) const;

  // What all companions together may have.
  model::Amount RoomForCompanions(Compute resource) const;
  void SizeCompanions(Compute resource);

  // The position of the container with devices whose default is largest; nothing if there is none.
  std::optional<std::size_t> LargestShare(Compute resource) const;
  // Subtracts the sizes of companions from the largest share.
  void TakeFromLargest(Compute resource);

  // What the pod requests for main containers and sidecars, and for init containers with sizes.
  model::Amount Total(Compute resource) const;
  // Gives init containers what the pod requests anyway.
  void SizeInitContainers(Compute resource);
  // The container's request, or its default size, or zero.
  model::Amount Need(std::size_t index, Compute resource) const;

  const model::PodTemplate& pod_;
  const DeviceShares& shares_;
  const GuaranteedQosConfig& config_;
  std::vector<bool> has_devices_;  // by position of the container
  bool devices_stay_ = false;      // whether a container with devices is no init container
  // By resource, then by position of the container.
  PerCompute<Sizes> sizes_;
  std::optional<std::size_t> reduced_;  // the container whose share was reduced for the others
};

/// The default size of the pod as a whole, for a pod whose spec.resources has neither request nor
/// limit. Nothing if the share of one of the pod's devices is not known.
std::optional<model::Amount> DefaultPodSize(const model::PodTemplate& pod,
                                            const DeviceShares& shares,
                                            const GuaranteedQosConfig& config, Compute resource);

}  // namespace berth::policies::admission
