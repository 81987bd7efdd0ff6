#include "policies/admission/device_shares.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "model/annotation.h"
#include "model/saturating.h"

namespace berth::policies::admission {

using model::AcceleratorCatalog;
using model::AcceleratorSpec;
using model::Amount;

namespace {

const std::optional<model::Quantity>& AmountOf(const model::DeviceShare& share, Compute resource) {
  return resource == Compute::kCpu ? share.cpu : share.memory;
}

// The share of one device, or of a slice of which it holds `parts`.
std::optional<Amount> ShareOf(const AcceleratorSpec& spec, std::int64_t parts, Compute resource) {
  const std::optional<model::Quantity>& share = AmountOf(spec.share, resource);
  if (!share) return std::nullopt;
  const Amount part = PartOf(resource, share->amount(), parts);
  return parts > 1 && resource == Compute::kCpu && part >= kOneCore ? WholeCores(part) : part;
}

std::vector<std::string> ListOf(std::string_view models) {
  const std::vector<std::string_view> names = model::SplitList(models);
  return {names.begin(), names.end()};
}

}  // namespace

DeviceShares::DeviceShares(const AcceleratorCatalog& catalog, std::string_view models,
                           const UnknownDevices* unknown, std::span<const ClaimShare> claims)
    : catalog_(catalog), models_(ListOf(models)), unknown_(unknown), claims_(claims) {}

const ClaimShare* DeviceShares::ShareOfClaim(std::string_view name) const {
  const std::string text(name);
  const auto found = std::ranges::find_if(claims_, [&text](const ClaimShare& claim) {
    return fnmatch(claim.match.c_str(), text.c_str(), 0) == 0;
  });
  return found == claims_.end() ? nullptr : &*found;
}

DeviceShares::Counts DeviceShares::ClaimsIn(const model::Container& container) const {
  Counts counts;
  for (const auto* list : {&container.resources.limits, &container.resources.requests}) {
    for (const auto& [resource, quantity] : *list) {
      const std::string_view name = DeviceClassOf(resource);
      if (name.empty() || quantity.Sign() <= 0 || ShareOfClaim(name) == nullptr) continue;
      counts.emplace(name, quantity.Value());  // of two, the limit
    }
  }
  for (const std::string& claim : container.claims) {
    if (ShareOfClaim(claim) == nullptr) continue;
    std::int64_t& count = counts[claim];
    count = model::SaturatingAdd(count, 1);
  }
  return counts;
}

DeviceShares::Counts DeviceShares::DevicesIn(const model::Container& container) const {
  Counts counts;
  for (const auto* list : {&container.resources.limits, &container.resources.requests}) {
    for (const auto& [resource, quantity] : *list) {
      if (quantity.Sign() <= 0 || !catalog_.HasResource(resource)) continue;
      counts.emplace(resource, quantity.Value());  // of two, the limit
    }
  }
  return counts;
}

// Those that the pod names, or all if it names none of them.
std::vector<const AcceleratorSpec*> DeviceShares::Candidates(std::string_view resource) const {
  std::vector<const AcceleratorSpec*> all;
  std::vector<const AcceleratorSpec*> named;
  for (AcceleratorCatalog::Index i = 0; std::cmp_less(i, catalog_.size()); ++i) {
    const AcceleratorSpec& spec = catalog_[i];
    if (model::PartsPerDevice(spec, resource) == 0) continue;
    all.push_back(&spec);
    if (std::ranges::find(models_, spec.name) != models_.end()) named.push_back(&spec);
  }
  return named.empty() ? all : named;
}

DeviceShares::PerDevice DeviceShares::Least(std::string_view resource) const {
  PerDevice least{.share = {}, .name = resource};
  PerCompute<const AcceleratorSpec*> of;
  const std::vector<const AcceleratorSpec*> candidates = Candidates(resource);
  for (const AcceleratorSpec* spec : candidates) {
    const std::int64_t parts = model::PartsPerDevice(*spec, resource);
    for (const Compute compute : kCompute) {
      const std::optional<Amount> share = ShareOf(*spec, parts, compute);
      if (!share || (least.share[compute] && *least.share[compute] <= *share)) continue;
      least.share[compute] = share;
      of[compute] = spec;
    }
  }
  const AcceleratorSpec* model = of[Compute::kCpu];
  if (model == nullptr || model != of[Compute::kMemory]) return least;
  const bool named = std::ranges::find(models_, model->name) != models_.end();
  const bool whole = model->resource == resource;
  if (whole && (named || candidates.size() == 1)) least.name = model->name;
  return least;
}

bool DeviceShares::AsksForDevices(const model::Container& container) const {
  if (unknown_ != nullptr && !unknown_->In(container).empty()) return true;
  return !container.claims.empty() || !DevicesIn(container).empty();
}

std::optional<Amount> DeviceShares::Of(const model::Container& container, Compute resource) const {
  const Counts devices = DevicesIn(container);
  const Counts claims = ClaimsIn(container);
  if (devices.empty() && claims.empty() && AsksForDevices(container)) return std::nullopt;
  const bool known = std::ranges::all_of(container.claims, [this](const std::string& claim) {
    return ShareOfClaim(claim) != nullptr;
  });
  if (!known) return std::nullopt;
  Amount sum;
  for (const auto& [name, count] : claims) {
    const std::optional<model::Quantity>& share = AmountOf(ShareOfClaim(name)->share, resource);
    if (!share) return std::nullopt;
    Amount amount = share->amount();
    sum += amount *= count;
  }
  for (const auto& [name, count] : devices) {
    std::optional<Amount> share = Least(name).share[resource];
    if (!share) return std::nullopt;
    sum += * share *= count;
  }
  return sum;
}

std::string DeviceShares::DevicesOf(const model::Container& container) const {
  std::string text;
  const auto add = [&text](std::int64_t count, std::string_view name) {
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + " x " + std::string(name);
  };
  for (const auto& [resource, count] : DevicesIn(container)) add(count, Least(resource).name);
  for (const auto& [name, count] : ClaimsIn(container)) add(count, name);
  return text;
}

}  // namespace berth::policies::admission
