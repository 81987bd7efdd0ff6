#include "policies/fit/eviction.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "model/demand.h"
#include "policies/fit/fit.h"

namespace berth::policies::fit {

using model::Demand;
using model::NodeState;
using model::Pod;

namespace {

// The part of the node that JudgeRoom() reads.
NodeState RoomOf(const NodeState& node) {
  NodeState room;
  room.node.allocatable = node.node.allocatable;
  room.used = node.used;
  room.pods = node.pods;
  room.ports = node.ports;
  return room;
}

void TakeAway(const Demand& demand, NodeState& room) {
  for (const auto& [name, amount] : demand.resources) room.used.Add(name, -amount);
  room.pods -= demand.pods;
  for (const model::HostPort& port : demand.ports) {
    const auto found = std::ranges::find(room.ports, port);
    if (found != room.ports.end()) room.ports.erase(found);
  }
}

void GiveBack(const Demand& demand, NodeState& room) {
  room.used.Add(demand.resources);
  room.pods += demand.pods;
  room.ports.insert(room.ports.end(), demand.ports.begin(), demand.ports.end());
}

// What pods of lower priority take, those of the highest priority first.
std::vector<const Demand*> DemandsBelow(const Pod& pod, const NodeState& node) {
  std::vector<const Demand*> below;
  for (const Demand* const demand : node.bound) {
    if (demand->priority < pod.priority) below.push_back(demand);
  }
  std::ranges::stable_sort(below, std::greater<>(),
                           [](const Demand* demand) { return demand->priority; });
  return below;
}

void Count(std::int32_t priority, std::optional<Eviction>& eviction) {
  if (!eviction) eviction = Eviction{.highest = priority};
  eviction->sum += std::int64_t{priority} - std::numeric_limits<std::int32_t>::min();
}

}  // namespace

bool HasVictims(const Pod& pod, const NodeState& node) {
  return std::ranges::any_of(
      node.bound, [&pod](const Demand* demand) { return demand->priority < pod.priority; });
}

std::optional<Eviction> JudgeEviction(const Pod& pod, const NodeState& node) {
  const std::vector<const Demand*> below = DemandsBelow(pod, node);
  NodeState room = RoomOf(node);
  for (const Demand* const demand : below) TakeAway(*demand, room);
  if (JudgeRoom(pod, room) != Misfit::kNone) return std::nullopt;
  std::optional<Eviction> eviction;
  for (const Demand* const demand : below) {
    GiveBack(*demand, room);
    if (JudgeRoom(pod, room) == Misfit::kNone) continue;
    TakeAway(*demand, room);
    Count(demand->priority, eviction);
  }
  return eviction;
}

}  // namespace berth::policies::fit
