#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/amount.h"
#include "model/quantity.h"
#include "model/workload.h"

namespace berth::policies::admission {

/// The resources that decide a pod's QoS class.
enum class Compute : std::uint8_t { kCpu, kMemory };

inline constexpr std::array kCompute = {Compute::kCpu, Compute::kMemory};

/// "cpu", "memory".
constexpr std::string_view NameOf(Compute resource) {
  return resource == Compute::kCpu ? "cpu" : "memory";
}

/// A value for each of the two.
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

/// As people write it: cores in thousandths, memory in bytes, both rounded up.
inline model::Quantity QuantityOf(Compute resource, model::Amount amount) {
  return resource == Compute::kCpu ? model::Quantity::OfMilli(amount.MilliValue())
                                   : model::Quantity::OfBytes(amount.Value());
}

/// What `list` has of it, or null; zero is nothing.
inline const model::Quantity* Given(const model::ResourceList& list, Compute resource) {
  const auto found = list.find(NameOf(resource));
  return found != list.end() && found->second.Sign() != 0 ? &found->second : nullptr;
}

/// What a container requests, or null: where it says nothing but a limit, that is what the API
/// server takes (SetDefaults_Pod in k8s.io/kubernetes/pkg/apis/core/v1/defaults.go, v1.36.3).
inline const model::Quantity* RequestOf(const model::Container& container, Compute resource) {
  const model::ResourceRequirements& resources = container.resources;
  const bool says = resources.requests.contains(NameOf(resource));
  return Given(says ? resources.requests : resources.limits, resource);
}

/// Whether neither request nor limit is set.
inline bool IsMissing(const model::ResourceRequirements& resources, Compute resource) {
  return Given(resources.limits, resource) == nullptr &&
         Given(resources.requests, resource) == nullptr;
}

}  // namespace berth::policies::admission
