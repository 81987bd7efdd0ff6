#include "policies/admission/default_sizes.h"

#include <algorithm>
#include <cstdint>

#include "policies/admission/qos.h"

namespace berth::policies::admission {

using model::Amount;
using model::Container;

namespace {

// Companions of containers with devices get no more than this part of the largest share together.
// The share of the smallest device of the built-in catalogue has four cores, of which one is a
// quarter.
constexpr std::int64_t kPartOfCompanions = 4;

Amount AmountIn(const ContainerSize& size, Compute resource) {
  const auto& quantity = resource == Compute::kCpu ? size.cpu : size.memory;
  return quantity ? quantity->amount() : Amount();
}

// Whether the container runs beside the main containers and not before them.
bool Stays(const Container& container) { return !container.init || container.sidecar; }

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
    devices_stay_ = devices_stay_ || (has_devices_.back() && Stays(container));
  }
  for (const Compute resource : kCompute) {
    for (std::size_t i = 0; i < pod.containers.size(); ++i) {
      sizes_[resource].push_back(SizeOf(i, resource));
    }
    SizeCompanions(resource);
    TakeFromLargest(resource);
    SizeInitContainers(resource);
  }
}

bool DefaultSizes::IsMissingBeside(std::size_t index, Compute resource) const {
  const Container& container = pod_.containers[index];
  return Stays(container) && IsMissing(container.resources, resource);
}

std::optional<Amount> DefaultSizes::SizeOf(std::size_t index, Compute resource) const {
  const Container& container = pod_.containers[index];
  if (has_devices_[index]) return shares_.Of(container, resource);
  const bool small = container.init || devices_stay_;
  return AmountIn(small ? config_.small : config_.without_accelerators, resource);
}

Amount DefaultSizes::RoomForCompanions(Compute resource) const {
  if (const auto largest = LargestShare(resource)) {
    return PartOf(resource, *sizes_[resource][*largest], kPartOfCompanions);
  }
  Amount room;
  for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
    if (!has_devices_[i] || !Stays(pod_.containers[i])) continue;
    room += shares_.Of(pod_.containers[i], resource).value_or(Amount());
  }
  for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
    const Container& container = pod_.containers[i];
    if (Stays(container) && !IsMissing(container.resources, resource)) room -= Need(i, resource);
  }
  return std::max(room, Amount());
}

void DefaultSizes::SizeCompanions(Compute resource) {
  if (!devices_stay_) return;
  std::vector<std::size_t> companions;
  for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
    if (!has_devices_[i] && IsMissingBeside(i, resource)) companions.push_back(i);
  }
  if (companions.empty()) return;
  const Amount room = RoomForCompanions(resource);
  const Amount each = std::min(AmountIn(config_.without_accelerators, resource),
                               PartOf(resource, room, std::ssize(companions)));
  const Amount size = std::max(each, AmountIn(config_.small, resource));
  for (const std::size_t i : companions) sizes_[resource][i] = size;
}

std::optional<std::size_t> DefaultSizes::LargestShare(Compute resource) const {
  const Sizes& sizes = sizes_[resource];
  std::optional<std::size_t> largest;
  for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
    if (!has_devices_[i] || !sizes[i] || !IsMissingBeside(i, resource)) continue;
    if (!largest || *sizes[i] > *sizes[*largest]) largest = i;
  }
  return largest;
}

void DefaultSizes::TakeFromLargest(Compute resource) {
  Amount taken;
  for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
    if (has_devices_[i] || !IsMissingBeside(i, resource)) continue;
    taken += sizes_[resource][i].value_or(Amount());
  }
  const std::optional<std::size_t> largest = LargestShare(resource);
  if (!largest || taken.Sign() == 0) return;
  std::optional<Amount>& size = sizes_[resource][*largest];
  size = Less(resource, *size, taken, AmountIn(config_.small, resource));
  reduced_ = largest;
}

Amount DefaultSizes::Need(std::size_t index, Compute resource) const {
  const model::Quantity* request = RequestOf(pod_.containers[index], resource);
  return request != nullptr ? request->amount() : sizes_[resource][index].value_or(Amount());
}

Amount DefaultSizes::Total(Compute resource) const {
  std::size_t i = 0;
  return EffectiveNeed(pod_, [&](const Container& container) {
    const std::size_t index = i++;
    const bool counts = Stays(container) || !IsMissing(container.resources, resource) ||
                        (has_devices_[index] && !devices_stay_);
    return counts ? Need(index, resource) : Amount();
  });
}

void DefaultSizes::SizeInitContainers(Compute resource) {
  const Amount total = Total(resource);
  Amount sidecars;
  for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
    const Container& container = pod_.containers[i];
    if (container.sidecar) sidecars += Need(i, resource);
    if (Stays(container)) continue;
    Amount rest = total;
    rest -= sidecars;
    if (rest.Sign() <= 0) continue;
    const bool whole = resource == Compute::kCpu && has_devices_[i] && rest >= kOneCore;
    sizes_[resource][i] = whole ? WholeCores(rest) : rest;
  }
}

std::string DefaultSizes::ReasonOf(std::size_t index) const {
  if (!Stays(pod_.containers[index])) return "the pod's total";
  if (!has_devices_[index]) return "default";
  return (reduced_ == index ? "of " : "") + shares_.DevicesOf(pod_.containers[index]);
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
