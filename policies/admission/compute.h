#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/amount.h"
#include "model/quantity.h"
#include "model/workload.h"

// The view of pods' resources by which QoS policies work: cpu and memory alone, and zero counts as
// absent, as it does for Kubernetes where the QoS class is concerned.

namespace berth::policies::admission {

/// The two resources that decide a pod's QoS class.
enum class Compute : std::uint8_t { kCpu, kMemory };

/// Both, in the order in which texts name them.
inline constexpr std::array kCompute = {Compute::kCpu, Compute::kMemory};

/// The resource's name in Kubernetes: "cpu", "memory".
constexpr std::string_view NameOf(Compute resource) {
  return resource == Compute::kCpu ? "cpu" : "memory";
}

/// A value for each of the two resources. Values start as T{}.
template <typename T>
class PerCompute {
 public:
  T& operator[](Compute resource) { return values_[static_cast<std::size_t>(resource)]; }
  const T& operator[](Compute resource) const {
    return values_[static_cast<std::size_t>(resource)];
  }

 private:
  std::array<T, 2> values_{};
};

/// `amount` as people write it, rounded up: cores in thousandths, memory in bytes.
inline model::Quantity QuantityOf(Compute resource, model::Amount amount) {
  return resource == Compute::kCpu ? model::Quantity::OfMilli(amount.MilliValue())
                                   : model::Quantity::OfBytes(amount.Value());
}

/// One core.
inline constexpr model::Amount kOneCore = model::Amount::FromNanos(model::Amount::kNanosPerUnit);

/// `cores`, rounded down to whole ones. Kubelet reserves cores for a container only if it requests
/// whole ones; fractions come from shared cores.
inline model::Amount WholeCores(model::Amount cores) {
  model::Amount whole = kOneCore;
  return whole *= cores.MilliValue() / 1000;
}

/// `whole` divided by `parts`, which must be above 0. Rounded down to thousandths of a core or to
/// MiB, unless it is 1: 31 cores in 8 parts are 3875m each.
inline model::Amount PartOf(Compute resource, model::Amount whole, std::int64_t parts) {
  if (parts == 1) return whole;
  constexpr std::int64_t kMebi = std::int64_t{1} << 20;
  const bool cpu = resource == Compute::kCpu;
  model::Amount unit = model::Amount::FromNanos(model::Amount::kNanosPerUnit / (cpu ? 1000 : 1));
  if (cpu) return unit *= whole.MilliValue() / parts;
  return unit *= whole.Value() / parts / kMebi * kMebi;
}

/// The quantity that `list` has of the resource. Null if it has none or zero. Points into `list`.
inline const model::Quantity* Given(const model::ResourceList& list, Compute resource) {
  const auto found = list.find(NameOf(resource));
  return found != list.end() && found->second.Sign() != 0 ? &found->second : nullptr;
}

/// The container's request, or null. A container with only a limit requests as much as that limit,
/// because the API server fills it in (SetDefaults_Pod in
/// k8s.io/kubernetes/pkg/apis/core/v1/defaults.go, v1.36.3). Points into `container`.
inline const model::Quantity* RequestOf(const model::Container& container, Compute resource) {
  const model::ResourceRequirements& resources = container.resources;
  const bool says = resources.requests.contains(NameOf(resource));
  return Given(says ? resources.requests : resources.limits, resource);
}

/// Whether neither a request nor a limit above zero is set.
inline bool IsMissing(const model::ResourceRequirements& resources, Compute resource) {
  return Given(resources.limits, resource) == nullptr &&
         Given(resources.requests, resource) == nullptr;
}

}  // namespace berth::policies::admission
