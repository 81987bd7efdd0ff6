#include "board/node_row.h"

#include <algorithm>
#include <map>

#include "board/devices.h"

namespace berth::board {

namespace {

// What pods have of `spec`, by owner, and not more than `room` together.
std::vector<Share> SharesOf(const PodTable::Entries& pods, const model::AcceleratorSpec& spec,
                            double room) {
  std::map<std::string, double> by_owner;
  for (const auto& [key, entry] : pods) {
    const double devices = std::min(room, DevicesOf(entry->pod.requests, spec));
    if (devices > kNoDevice) by_owner[entry->owner] += devices;
    room -= devices;
  }
  return {by_owner.begin(), by_owner.end()};
}

double SumOf(const std::vector<Share>& shares) {
  double devices = 0;
  for (const auto& [owner, share] : shares) devices += share;
  return devices;
}

// SpecOf() the node, or else the first entry of which a pod holds any there: the label and the
// device plugin may be away while what was started before still runs.
const model::AcceleratorSpec* CountedBy(const model::NodeState& node,
                                        const PodTable::Entries& bound,
                                        const model::AcceleratorCatalog& catalog) {
  if (const model::AcceleratorSpec* spec = SpecOf(node, catalog)) return spec;
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    const auto& spec = catalog[static_cast<model::AcceleratorCatalog::Index>(i)];
    for (const auto& [key, entry] : bound) {
      if (DevicesOf(entry->pod.requests, spec) > 0) return &spec;
    }
  }
  return nullptr;
}

std::string RackOf(const model::Node& node, const std::vector<std::string>& labels) {
  std::string rack;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    const auto value = model::Find(node.labels, *label);
    if (!value) continue;
    if (!rack.empty()) rack += " / ";
    rack += *value;
  }
  return rack;
}

void SetStatus(const model::NodeState& node, const std::optional<placement::Exclusion>& exclusion,
               NodeRow& row) {
  if (exclusion || node.quarantined) {
    row.status = node.quarantined ? NodeStatus::kUnreadable : NodeStatus::kBroken;
    row.reason = exclusion ? std::string(exclusion->summary) : "cannot be read";
    if (exclusion) row.since = exclusion->since;
  } else if (const auto since = model::NotReadySince(node.node)) {
    row.status = NodeStatus::kNotReady;
    row.reason = "not Ready";
    row.since = *since;
  } else if (node.node.unschedulable) {
    row.status = NodeStatus::kCordoned;
    row.reason = "cordoned";
  }
}

// A node of which nothing else is wrong.
void SetWithoutDevices(NodeRow& row) {
  if (row.status != NodeStatus::kGood) return;
  row.status = NodeStatus::kBroken;
  row.reason = "offers no devices";
}

}  // namespace

NodeRow RowOfNode(const model::NodeState& node,
                  const std::optional<placement::Exclusion>& exclusion, const PodTable& pods,
                  const model::AcceleratorCatalog& catalog,
                  const std::vector<std::string>& labels) {
  const PodTable::Entries& bound = pods.On(node.node.name, /*planned=*/false);
  const model::AcceleratorSpec* spec = CountedBy(node, bound, catalog);
  NodeRow row{
      .name = node.node.name, .pool = PoolOf(node, spec), .rack = RackOf(node.node, labels)};
  SetStatus(node, exclusion, row);
  if (spec == nullptr) return row;
  const std::int64_t allocatable = WholeDevices(DevicesOf(node.node.allocatable, *spec));
  const std::int64_t capacity =
      std::max(allocatable, WholeDevices(DevicesOf(node.node.capacity, *spec)));
  if (capacity == 0) SetWithoutDevices(row);
  // Where a node has lost all its devices, what its pods hold is all that is known of them.
  row.held = SharesOf(bound, *spec, capacity > 0 ? static_cast<double>(capacity) : kMostDevices);
  row.planned = SharesOf(pods.On(node.node.name, /*planned=*/true), *spec,
                         std::max(0.0, static_cast<double>(allocatable) - SumOf(row.held)));
  const std::int64_t used = HeldDevices(row) + PlannedDevices(row);
  const std::int64_t room = std::max<std::int64_t>(0, allocatable - used);
  row.free = row.status == NodeStatus::kGood ? room : 0;
  row.broken = std::max<std::int64_t>(0, capacity - used - row.free);
  return row;
}

std::int64_t HeldDevices(const NodeRow& row) { return WholeDevices(SumOf(row.held)); }

std::int64_t PlannedDevices(const NodeRow& row) {
  return WholeDevices(SumOf(row.held) + SumOf(row.planned)) - HeldDevices(row);
}

std::int64_t DevicesPerCell(const NodeRow& row) {
  const std::int64_t devices = HeldDevices(row) + PlannedDevices(row) + row.free + row.broken;
  return std::max<std::int64_t>(1, (devices + kMostCells - 1) / kMostCells);
}

}  // namespace berth::board
