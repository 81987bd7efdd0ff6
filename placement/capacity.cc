#include "placement/capacity.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "model/saturating.h"
#include "placement/exclusion.h"
#include "placement/explanation_hints.h"

namespace berth::placement {

namespace {

using model::AcceleratorCatalog;
using model::NodeState;
using policies::scheduling::SchedulingEngine;

template <typename Visit>
void ForEachNode(const model::ClusterView& view, Visit visit) {
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    if (const NodeState* node = view.At(i)) visit(*node);
  }
}

constexpr std::string_view kNotReady = "not Ready";
constexpr std::string_view kCordoned = "cordoned";

// Counts the nodes of one entry of the catalogue.
class EntryCounter {
 public:
  EntryCounter(const SchedulingEngine& engine, AcceleratorCatalog::Index index,
               const model::ClusterView& view, model::Time now)
      : resource_(engine.catalog()[index].resource), judge_(engine, resource_, view, now) {
    counted_.accelerator = engine.catalog()[index].name;
    counted_.resource = resource_;
  }

  void Add(const NodeState& node) {
    counted_.devices.Add(node, resource_);
    if (const std::optional<Exclusion> exclusion = judge_.Judge(node)) {
      const bool is_berths = exclusion->id != policies::scheduling::kNoReason;
      Exclude(is_berths ? excluded_[exclusion->id] : others_[exclusion->reason], node,
              exclusion->reason, exclusion->summary);
    } else if (model::NotReadySince(node.node)) {
      Exclude(others_[kNotReady], node, kNotReady, kNotReady);
    } else if (node.node.unschedulable) {
      Exclude(others_[kCordoned], node, kCordoned, kCordoned);
    }
  }

  AcceleratorCapacity Take() {
    for (auto& [id, excluded] : excluded_) counted_.excluded.push_back(std::move(excluded));
    for (auto& [reason, excluded] : others_) counted_.excluded.push_back(std::move(excluded));
    std::stable_sort(
        counted_.excluded.begin(), counted_.excluded.end(),
        [](const auto& a, const auto& b) { return a.devices.nodes > b.devices.nodes; });
    return std::move(counted_);
  }

 private:
  void Exclude(ExcludedCapacity& group, const NodeState& node, std::string_view reason,
               std::string_view summary) const {
    group.reason = reason;
    group.summary = summary;
    group.devices.Add(node, resource_);
  }

  const std::string resource_;
  const ExclusionJudge judge_;
  AcceleratorCapacity counted_;
  std::map<policies::scheduling::ReasonId, ExcludedCapacity> excluded_;
  // By reason: nodes that Berth would let pods on, but kube-scheduler does not.
  std::map<std::string_view, ExcludedCapacity> others_;
};

}  // namespace

void DeviceTotals::Add(const NodeState& node, std::string_view resource) {
  const std::int64_t node_used = node.used.Get(resource);
  const std::int64_t node_free = node.node.allocatable.Get(resource) - node_used;
  ++nodes;
  total = model::SaturatingAdd(total, node.node.capacity.Get(resource));
  used = model::SaturatingAdd(used, node_used);
  free = model::SaturatingAdd(free, std::max<std::int64_t>(0, node_free));
}

std::vector<DeviceTotals> CountDevices(const model::ClusterView& view,
                                       const AcceleratorCatalog& catalog) {
  std::vector<DeviceTotals> counts(catalog.size() + 1);
  ForEachNode(view, [&](const NodeState& node) {
    if (node.accelerator == AcceleratorCatalog::kNone) {
      ++counts.back().nodes;
    } else {
      counts[static_cast<std::size_t>(node.accelerator)].Add(node,
                                                             catalog[node.accelerator].resource);
    }
  });
  return counts;
}

Capacity CountCapacity(const cluster::Snapshot::Reader& view,
                       const policies::scheduling::SchedulingEngine& engine, model::Time now) {
  const AcceleratorCatalog& catalog = engine.catalog();
  std::deque<EntryCounter> entries;  // a deque, because its elements must not move
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    entries.emplace_back(engine, static_cast<AcceleratorCatalog::Index>(i), view, now);
  }
  std::map<std::string, DeviceTotals> unrecognised;
  ForEachNode(view, [&](const NodeState& node) {
    if (node.accelerator != AcceleratorCatalog::kNone) {
      return entries[static_cast<std::size_t>(node.accelerator)].Add(node);
    }
    for (const std::string& resource : catalog.resources()) {
      if (node.node.capacity.Get(resource) > 0) unrecognised[resource].Add(node, resource);
    }
  });
  Capacity capacity{
      .time = now, .accelerators = {}, .unrecognised = {}, .hints = QuarantineHints(view)};
  for (EntryCounter& entry : entries) capacity.accelerators.push_back(entry.Take());
  for (auto& [resource, devices] : unrecognised) {
    capacity.unrecognised.push_back({resource, devices});
  }
  return capacity;
}

}  // namespace berth::placement
