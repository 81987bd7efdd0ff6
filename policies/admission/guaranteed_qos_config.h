#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/accelerator.h"
#include "model/config_field.h"
#include "model/quantity.h"

namespace berth::policies::admission {

/// What happens to containers that set neither request nor limit.
enum class MissingLimits : std::uint8_t {
  /// They get limits: the share of their devices, or the configured size.
  kDefault,
  /// The pod is denied.
  kDeny,
  /// A Job runs without limits and is never retried. Other pods are denied.
  kAllowRetryless,
};

/// How the configuration spells the values.
std::span<const model::EnumName<MissingLimits>> EnumNames(MissingLimits);

/// How a cpu request and a higher limit become equal.
enum class CpuRule : std::uint8_t { kRaise, kLower };

/// How the configuration spells the values.
std::span<const model::EnumName<CpuRule>> EnumNames(CpuRule);

/// The size of one container, within the limits of model/compute_size.h.
struct ContainerSize {
  /// Cores and bytes. Empty is an error, which Validate reports.
  std::optional<model::Quantity> cpu;
  std::optional<model::Quantity> memory;

  friend bool operator==(const ContainerSize&, const ContainerSize&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ContainerSize& size) {
  visit("cpu", size.cpu, "Cores, at least 1m");
  visit("memory", size.memory, "Memory, at least 1Mi");
}

/// What one device brings that a pod gets by dynamic resource allocation.
struct ClaimShare {
  /// A shell pattern for the name of a ResourceClaimTemplate or ResourceClaim, or for that of a
  /// DeviceClass whose devices a pod requests by deviceclass.resource.kubernetes.io/<class>.
  std::string match;
  model::DeviceShare share = {};

  friend bool operator==(const ClaimShare&, const ClaimShare&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ClaimShare& claim) {
  visit.Required("match", claim.match,
                 "Shell pattern for the name of a ResourceClaimTemplate or ResourceClaim, or of a "
                 "DeviceClass whose devices are requested by its implicit resource");
  visit("share", claim.share, "What containers without limits get for one such claim or device");
}

/// The block admission.policies.guaranteedQos.
struct GuaranteedQosConfig {
  /// For containers that set neither request nor limit.
  MissingLimits missing_limits = MissingLimits::kDefault;
  /// For a cpu request below its limit. Memory requests are always raised.
  CpuRule cpu = CpuRule::kRaise;
  /// Names of containers for which `cpu` is kLower: proxies that are injected with a small request
  /// and a high limit for bursts (Istio's values.yaml, global.proxy.resources: 100m and 2000m).
  std::vector<std::string> lower_cpu_of = {"istio-proxy", "istio-init", "istio-validation"};
  /// For main containers in pods without accelerators, and the most for containers without devices
  /// beside containers with devices.
  ContainerSize without_accelerators = Size("1", "4Gi");
  /// For sidecars in pods without accelerators, and the least for containers without devices beside
  /// containers with devices.
  ContainerSize small = Size("100m", "128Mi");
  /// Shares of claimed devices; the first that matches counts. Pods with other claims need limits.
  std::vector<ClaimShare> claims;

  friend bool operator==(const GuaranteedQosConfig&, const GuaranteedQosConfig&) = default;

 private:
  // For defaults: both texts must be valid quantities.
  static ContainerSize Size(std::string_view cpu, std::string_view memory);
};

template <typename Visitor>
void VisitFields(Visitor& visit, GuaranteedQosConfig& config) {
  visit("missingLimits", config.missing_limits,
        "What happens to containers with neither request nor limit. Default: they get both, by the "
        "share of their devices or the sizes below; Deny: the pod is denied; AllowRetryless: a Job "
        "runs without them and is never retried, other pods are denied");
  visit("cpu", config.cpu,
        "For a cpu limit above its request. Raise: the request becomes the limit; Lower: the limit "
        "becomes the request. Memory requests are always raised");
  visit("lowerCpuOf", config.lower_cpu_of,
        "Names of containers for which cpu is Lower: proxies that a mesh injects with a high limit "
        "for bursts, which would otherwise be reserved in every pod");
  visit("withoutAccelerators", config.without_accelerators,
        "What a main container gets in a pod without accelerators, and at most a container without "
        "devices beside containers with devices");
  visit("small", config.small,
        "What a sidecar gets in a pod without accelerators, and at least a container without "
        "devices beside containers with devices");
  visit("claims", config.claims,
        "Shares of the devices of dynamic resource allocation, by name; the first that matches "
        "counts. A pod with any other claim needs limits of its own");
}

/// Returns every error in `config`, with paths below the block; empty if it is valid.
std::vector<model::FieldError> Validate(const GuaranteedQosConfig& config);

}  // namespace berth::policies::admission
