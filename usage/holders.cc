#include "usage/holders.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "model/saturating.h"

namespace berth::usage {

namespace {

// Of whom, and of what. The parts of the holder that do not count for the group are empty.
struct HeldKey {
  std::string creator;
  std::string namespace_name;
  std::string pod;
  std::string accelerator;
  std::string resource;

  auto Holder() const { return std::tie(creator, namespace_name, pod); }
  auto operator<=>(const HeldKey&) const = default;
};

HeldKey KeyFor(GroupBy group, const Holding& holding) {
  HeldKey key{.creator = holding.creator,
              .namespace_name = holding.namespace_name,
              .pod = holding.pod,
              .accelerator = holding.accelerator,
              .resource = holding.resource};
  if (group != GroupBy::kPod) key.pod.clear();
  if (group == GroupBy::kNamespace) key.creator.clear();
  if (group == GroupBy::kCreator && !key.creator.empty()) key.namespace_name.clear();
  return key;
}

void Insert(std::vector<std::string>& names, const std::string& name) {
  if (name.empty()) return;
  const auto place = std::lower_bound(names.begin(), names.end(), name);
  if (place == names.end() || *place != name) names.insert(place, name);
}

using Sums = std::map<HeldKey, Held>;

Held& HeldAt(Sums& sums, GroupBy group, const Holding& holding) {
  Held& held = sums[KeyFor(group, holding)];
  held.accelerator = holding.accelerator;
  held.resource = holding.resource;
  Insert(held.creators, holding.creator);
  Insert(held.namespaces, holding.namespace_name);
  return held;
}

Sums SumUp(GroupBy group, const std::vector<Holding>& holdings) {
  Sums sums;
  for (const Holding& holding : holdings) {
    Held& held = HeldAt(sums, group, holding);
    if (group == GroupBy::kPod) {
      held.pod = holding.pod;
      held.node = holding.node;
    }
    held.devices = model::SaturatingAdd(held.devices, holding.devices);
    ++held.pods;
    const bool dated = holding.created != model::kNoTime;
    if (dated && (held.oldest == model::kNoTime || holding.created < held.oldest)) {
      held.oldest = holding.created;
    }
  }
  return sums;
}

// What orders holders, and what they hold: devices, then hours of the month.
using Weight = std::pair<std::int64_t, double>;

Weight WeightOf(const Held& held) { return {held.devices, held.hours ? held.hours->month : 0}; }

std::vector<Held> InOrder(Sums&& sums) {
  std::map<std::tuple<std::string, std::string, std::string>, Weight> totals;
  for (const auto& [key, held] : sums) {
    Weight& total = totals[key.Holder()];
    const Weight weight = WeightOf(held);
    total = {model::SaturatingAdd(total.first, weight.first), total.second + weight.second};
  }
  std::vector<std::tuple<Weight, HeldKey, Held>> sorted;
  sorted.reserve(sums.size());
  for (auto& [key, held] : sums) sorted.emplace_back(totals[key.Holder()], key, std::move(held));
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    const auto& [total, key, held] = a;
    const auto& [other_total, other_key, other] = b;
    if (total != other_total) return total > other_total;
    if (key.Holder() != other_key.Holder()) return key.Holder() < other_key.Holder();
    return WeightOf(held) > WeightOf(other);
  });
  std::vector<Held> all;
  all.reserve(sorted.size());
  for (auto& each : sorted) all.push_back(std::move(std::get<Held>(each)));
  return all;
}

// The resource of whole devices of an accelerator. A running server may have another catalogue than
// the one that is known here; then what is held tells.
std::string ResourceOf(const std::string& accelerator, const std::vector<Holding>& holdings,
                       const model::AcceleratorCatalog& catalog) {
  const auto index = catalog.IndexOf(accelerator);
  if (index != model::AcceleratorCatalog::kNone) return catalog[index].resource;
  const auto found = std::ranges::find(holdings, accelerator, &Holding::accelerator);
  return found == holdings.end() ? "" : found->resource;
}

// The same words as of holdings: what is not known has no name.
Holding HoldingOf(const HoursOfUser& hours, const std::vector<Holding>& holdings,
                  const model::AcceleratorCatalog& catalog) {
  Holding holding{.namespace_name = hours.namespace_name};
  if (hours.creator != kUnknownCreator) holding.creator = hours.creator;
  if (hours.accelerator == kNoAccelerator) return holding;
  holding.accelerator = hours.accelerator;
  holding.resource = ResourceOf(hours.accelerator, holdings, catalog);
  return holding;
}

// Whether pods ask for whole devices by that resource. A resource that is not known here counts as
// well, because a running server may have another catalogue.
bool IsOfWholeDevices(const std::string& resource, const model::AcceleratorCatalog& catalog) {
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    const auto index = static_cast<model::AcceleratorCatalog::Index>(i);
    if (catalog[index].resource == resource) return true;
  }
  return !catalog.HasResource(resource);
}

// The resource of what the holder of `key` has on nodes that no entry recognises: hours there are
// known without their resource. Empty if the holder has nothing there, and if it has several
// resources, because nobody knows how the hours divide among them.
std::string UnrecognisedResource(const HeldKey& key, const Sums& sums,
                                 const model::AcceleratorCatalog& catalog) {
  std::string resource;
  for (auto each = sums.lower_bound(key); each != sums.end(); ++each) {
    const HeldKey& other = each->first;
    if (other.Holder() != key.Holder() || !other.accelerator.empty()) break;
    // The metric does not have slices.
    if (other.resource.empty() || !IsOfWholeDevices(other.resource, catalog)) continue;
    if (!resource.empty()) return "";
    resource = other.resource;
  }
  return resource;
}

void Add(const DeviceHours& more, DeviceHours& hours) {
  hours.day += more.day;
  hours.week += more.week;
  hours.month += more.month;
}

}  // namespace

std::vector<Held> HeldBy(GroupBy group, const std::vector<Holding>& holdings) {
  return InOrder(SumUp(group, holdings));
}

std::vector<Held> HeldBy(GroupBy group, const std::vector<Holding>& holdings,
                         const std::vector<HoursOfUser>& hours,
                         const model::AcceleratorCatalog& catalog) {
  Sums sums = SumUp(group, holdings);
  if (group == GroupBy::kPod) return InOrder(std::move(sums));
  for (const HoursOfUser& user : hours) {
    Holding holding = HoldingOf(user, holdings, catalog);
    if (holding.accelerator.empty()) {
      holding.resource = UnrecognisedResource(KeyFor(group, holding), sums, catalog);
    }
    Held& held = HeldAt(sums, group, holding);
    if (!held.hours) held.hours.emplace();
    Add(user.hours, *held.hours);
  }
  return InOrder(std::move(sums));
}

}  // namespace berth::usage
