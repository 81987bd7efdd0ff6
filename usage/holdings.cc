#include "usage/holdings.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/saturating.h"

namespace berth::usage {

namespace {

using cluster::PodLedger;
using model::AcceleratorCatalog;
using Index = AcceleratorCatalog::Index;

// The parts of "<namespace>/<name>".
std::pair<std::string_view, std::string_view> SplitKey(std::string_view key) {
  const std::size_t slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

Index AcceleratorAt(const model::ClusterView& view, model::NodeIndex node) {
  const model::NodeState* const state = view.At(node);
  return state == nullptr ? AcceleratorCatalog::kNone : state->accelerator;
}

// For each resource of the catalogue whether an entry has it as a whole device.
absl::flat_hash_map<std::string, bool> WholeDevices(const AcceleratorCatalog& catalog) {
  absl::flat_hash_map<std::string, bool> whole;
  for (const std::string& resource : catalog.resources()) whole[resource] = false;
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    whole[catalog[static_cast<Index>(i)].resource] = true;
  }
  return whole;
}

// Creator, namespace and accelerator. Points into the view.
using UserKey = std::tuple<absl::string_view, absl::string_view, Index>;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

absl::flat_hash_map<UserKey, std::int64_t> SumByUser(const cluster::Snapshot::Reader& view,
                                                     const AcceleratorCatalog& catalog) {
  const auto whole = WholeDevices(catalog);
  absl::flat_hash_map<UserKey, std::int64_t> sums;
  view.BoundPods().ForEach([&](const PodLedger::BoundPod& pod) {
    for (const auto& [resource, amount] : pod.demand.resources) {
      const auto found = whole.find(resource);
      if (found == whole.end() || !found->second) continue;
      const Index at = AcceleratorAt(view, pod.node);
      const bool known = at != AcceleratorCatalog::kNone && catalog[at].resource == resource;
      const std::string_view namespace_name = SplitKey(pod.key).first;
      std::int64_t& sum =
          sums[{Absl(pod.creator), Absl(namespace_name), known ? at : AcceleratorCatalog::kNone}];
      sum = model::SaturatingAdd(sum, amount);
    }
  });
  return sums;
}

std::string NameOf(const AcceleratorCatalog& catalog, Index index) {
  return index == AcceleratorCatalog::kNone ? std::string(kNoAccelerator) : catalog[index].name;
}

}  // namespace

std::vector<Holding> HoldingsOf(const cluster::Snapshot::Reader& view,
                                const AcceleratorCatalog& catalog,
                                std::string_view namespace_name) {
  std::vector<Holding> holdings;
  view.BoundPods().ForEach([&](const PodLedger::BoundPod& bound) {
    const auto [in_namespace, name] = SplitKey(bound.key);
    if (!namespace_name.empty() && in_namespace != namespace_name) return;
    for (const auto& [resource, amount] : bound.demand.resources) {
      if (!catalog.HasResource(resource)) continue;
      const model::NodeState* const state = view.At(bound.node);
      Holding holding{.namespace_name = std::string(in_namespace),
                      .pod = std::string(name),
                      .creator = std::string(bound.creator),
                      .resource = resource,
                      .devices = amount,
                      .created = bound.created};
      if (state != nullptr) holding.node = state->node.name;
      const Index at = AcceleratorAt(view, bound.node);
      const bool known =
          at != AcceleratorCatalog::kNone && model::PartsPerDevice(catalog[at], resource) > 0;
      if (known) holding.accelerator = catalog[at].name;
      holdings.push_back(std::move(holding));
    }
  });
  const auto order = [](const Holding& a, const Holding& b) {
    return std::tie(a.namespace_name, a.pod, a.resource) <
           std::tie(b.namespace_name, b.pod, b.resource);
  };
  std::sort(holdings.begin(), holdings.end(), order);
  return holdings;
}

std::vector<DevicesInUse> Greatest(std::vector<DevicesInUse> all, std::size_t most) {
  std::sort(all.begin(), all.end(), [](const DevicesInUse& a, const DevicesInUse& b) {
    return std::tie(b.devices, a.creator, a.namespace_name, a.accelerator) <
           std::tie(a.devices, b.creator, b.namespace_name, b.accelerator);
  });
  if (all.size() <= most) return all;
  std::map<std::string, std::int64_t> others;
  for (std::size_t i = most; i < all.size(); ++i) {
    std::int64_t& sum = others[all[i].accelerator];
    sum = model::SaturatingAdd(sum, all[i].devices);
  }
  all.resize(most);
  for (const auto& [accelerator, devices] : others) {
    all.push_back({std::string(kOthers), std::string(kOthers), accelerator, devices});
  }
  return all;
}

std::vector<DevicesInUse> CountDevicesInUse(const cluster::Snapshot::Reader& view,
                                            const AcceleratorCatalog& catalog, std::size_t most) {
  std::vector<DevicesInUse> in_use;
  for (const auto& [key, devices] : SumByUser(view, catalog)) {
    const auto& [creator, namespace_name, index] = key;
    in_use.push_back({.creator = std::string(creator.empty() ? Absl(kUnknownCreator) : creator),
                      .namespace_name = std::string(namespace_name),
                      .accelerator = NameOf(catalog, index),
                      .devices = devices});
  }
  return Greatest(std::move(in_use), most);
}

}  // namespace berth::usage
