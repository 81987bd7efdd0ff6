#include "policies/admission/device_shares.h"

#include <algorithm>
#include <utility>

#include "model/annotation.h"

namespace berth::policies::admission {

using model::AcceleratorCatalog;

namespace {

const std::optional<model::Quantity>& ShareOf(const model::AcceleratorSpec& spec,
                                              Compute resource) {
  return resource == Compute::kCpu ? spec.share.cpu : spec.share.memory;
}

std::int64_t DevicesIn(const model::Container& container, std::string_view resource) {
  for (const auto* list : {&container.resources.limits, &container.resources.requests}) {
    const auto found = list->find(resource);
    if (found != list->end() && found->second.Sign() > 0) return found->second.Value();
  }
  return 0;
}

// The entries of `resource` that the pod may get: those that it names, or all if it names none of
// them.
std::vector<const model::AcceleratorSpec*> Candidates(const AcceleratorCatalog& catalog,
                                                      std::string_view resource,
                                                      const std::vector<std::string_view>& models) {
  std::vector<const model::AcceleratorSpec*> all;
  std::vector<const model::AcceleratorSpec*> named;
  for (AcceleratorCatalog::Index i = 0; std::cmp_less(i, catalog.size()); ++i) {
    const model::AcceleratorSpec& spec = catalog[i];
    if (spec.resource != resource) continue;
    all.push_back(&spec);
    if (std::ranges::find(models, spec.name) != models.end()) named.push_back(&spec);
  }
  return named.empty() ? all : named;
}

}  // namespace

DeviceShares::DeviceShares(const AcceleratorCatalog& catalog, std::string_view models) {
  const std::vector<std::string_view> names = model::SplitList(models);
  for (const std::string& resource : catalog.resources()) {
    resources_.push_back(Least(catalog, resource, names));
  }
}

DeviceShares::PerDevice DeviceShares::Least(const AcceleratorCatalog& catalog,
                                            std::string_view resource,
                                            const std::vector<std::string_view>& models) {
  PerDevice least{.resource = resource, .share = {}, .name = {}};
  PerCompute<std::string_view> names;
  for (const model::AcceleratorSpec* spec : Candidates(catalog, resource, models)) {
    for (const Compute compute : kCompute) {
      const auto& share = ShareOf(*spec, compute);
      if (!share || (least.share[compute] && *least.share[compute] <= share->amount())) continue;
      least.share[compute] = share->amount();
      names[compute] = spec->name;
    }
  }
  const bool same = names[Compute::kCpu] == names[Compute::kMemory];
  least.name = same && !names[Compute::kCpu].empty() ? names[Compute::kCpu] : resource;
  return least;
}

bool DeviceShares::AsksForDevices(const model::Container& container) const {
  return std::ranges::any_of(resources_, [&container](const PerDevice& device) {
    return DevicesIn(container, device.resource) > 0;
  });
}

std::optional<model::Amount> DeviceShares::Of(const model::Container& container,
                                              Compute resource) const {
  model::Amount sum;
  for (const PerDevice& device : resources_) {
    const std::int64_t count = DevicesIn(container, device.resource);
    if (count == 0) continue;
    if (!device.share[resource]) return std::nullopt;
    model::Amount share = *device.share[resource];
    sum += share *= count;
  }
  return sum;
}

std::string DeviceShares::DevicesOf(const model::Container& container) const {
  std::string text;
  for (const PerDevice& device : resources_) {
    const std::int64_t count = DevicesIn(container, device.resource);
    if (count == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + " x " + std::string(device.name);
  }
  return text;
}

}  // namespace berth::policies::admission
