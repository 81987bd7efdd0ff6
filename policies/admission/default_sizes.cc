#include "policies/admission/default_sizes.h"

#include <algorithm>

#include "policies/admission/qos.h"

namespace berth::policies::admission {

using model::Amount;
using model::Container;

namespace {

constexpr Amount kOneCore = Amount::FromNanos(Amount::kNanosPerUnit);

Amount AmountIn(const ContainerSize& size, Compute resource) {
  const auto& quantity = resource == Compute::kCpu ? size.cpu : size.memory;
  return quantity ? quantity->amount() : Amount();
}

// Whether the container runs beside the main containers and not before them.
bool Stays(const Container& container) { return !container.init || container.sidecar; }

// Kubelet reserves cores for a container only if it requests whole ones; fractions come from shared
// cores.
Amount WholeCores(Amount amount) {
  Amount whole = kOneCore;
  return whole *= amount.MilliValue() / 1000;
}

Amount Less(Compute resource, Amount share, Amount taken, Amount small) {
  const Amount least = std::min(share, resource == Compute::kCpu ? kOneCore : small);
  share -= taken;
  if (resource == Compute::kCpu) share = WholeCores(share);
  return std::max(share, least);
}

}  // namespace

DefaultSizes::DefaultSizes(const model::PodTemplate& pod, const DeviceShares& shares,
                           const GuaranteedQosConfig& config)
    : pod_(pod), shares_(shares), config_(config) {
  for (const Container& container : pod.containers) {
    has_devices_.push_back(shares.AsksForDevices(container));
    pod_has_devices_ = pod_has_devices_ || has_devices_.back();
  }
  for (const Compute resource : kCompute) {
    for (std::size_t i = 0; i < pod.containers.size(); ++i) {
      sizes_[resource].push_back(SizeOf(i, resource));
    }
    TakeFromLargest(resource);
    LimitInitContainers(resource);
  }
}

std::optional<Amount> DefaultSizes::SizeOf(std::size_t index, Compute resource) const {
  const Container& container = pod_.containers[index];
  if (has_devices_[index]) return shares_.Of(container, resource);
  const bool small = container.init || pod_has_devices_;
  return AmountIn(small ? config_.small : config_.without_accelerators, resource);
}

void DefaultSizes::TakeFromLargest(Compute resource) {
  Amount taken;
  std::optional<Amount>* largest = nullptr;
  std::size_t giver = 0;
  for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
    std::optional<Amount>& size = sizes_[resource][i];
    const Container& container = pod_.containers[i];
    if (!Stays(container) || !IsMissing(container.resources, resource) || !size) continue;
    if (!has_devices_[i]) {
      taken += *size;
    } else if (largest == nullptr || *size > **largest) {
      largest = &size;
      giver = i;
    }
  }
  if (largest == nullptr || taken.Sign() == 0) return;
  *largest = Less(resource, **largest, taken, AmountIn(config_.small, resource));
  reduced_ = giver;
}

void DefaultSizes::LimitInitContainers(Compute resource) {
  Amount after;
  for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
    const Container& container = pod_.containers[i];
    if (container.init) continue;
    const model::Quantity* request = RequestOf(container, resource);
    after += request != nullptr ? request->amount() : sizes_[resource][i].value_or(Amount());
  }
  if (after.Sign() <= 0) return;
  for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
    std::optional<Amount>& size = sizes_[resource][i];
    if (Stays(pod_.containers[i]) || !size || *size <= after) continue;
    const bool whole = resource == Compute::kCpu && has_devices_[i] && after >= kOneCore;
    size = whole ? WholeCores(after) : after;
  }
}

std::string DefaultSizes::ReasonOf(std::size_t index) const {
  if (!has_devices_[index]) return "default";
  return (reduced_ == index ? "rest of " : "") + shares_.DevicesOf(pod_.containers[index]);
}

std::optional<Amount> DefaultPodSize(const model::PodTemplate& pod, const DeviceShares& shares,
                                     const GuaranteedQosConfig& config, Compute resource) {
  bool known = true;
  const Amount share = EffectiveNeed(pod, [&](const Container& container) {
    const std::optional<Amount> own = shares.Of(container, resource);
    known = known && own.has_value();
    return own.value_or(Amount());
  });
  if (!known) return std::nullopt;
  return share.Sign() > 0 ? share : AmountIn(config.without_accelerators, resource);
}

}  // namespace berth::policies::admission
