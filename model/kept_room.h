#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/pod.h"
#include "model/time.h"

// The annotation `kept` of a node: devices that the planner keeps for gangs that wait. The
// controller writes it, and a scheduling policy reads it, so that pods that come later do not take
// every device as it becomes free.
//
//   berth.dev/kept: ml/train resource=nvidia.com/gpu devices=8 priority=0
//     created=2026-01-31T12:00:00Z ends-by=2026-01-31T13:00:00Z until=2026-01-31T12:10:00Z, ...
//   (on one line)

namespace berth::model {

/// One entry of the annotation. A plain value.
struct KeptRoom {
  /// The gang, "<namespace>/<name>". Never empty.
  std::string gang;
  /// The resource of the devices, "nvidia.com/gpu". Never empty. A node may have several.
  std::string resource;
  /// How many of them it shall have on the node, above 0.
  std::int64_t devices = 0;
  /// The place of the gang in the order of planning: pods of higher priority come before it, and of
  /// equal priority those that were created before.
  std::int32_t priority = 0;
  Time created = kNoTime;
  /// Pods that say that they have ended by then may use the devices.
  Time ends_by = kNoTime;
  /// The entry has expired at this time, unless its writer renews it.
  Time until = kNoTime;

  friend bool operator==(const KeptRoom&, const KeptRoom&) = default;
};

/// A place in the order of planning; the smaller one comes first. As planner::QueuePlace.
using PlanningPlace = std::tuple<std::int64_t, Time>;

/// The place of the gang. A pod at the same place comes later.
inline PlanningPlace PlaceOf(const KeptRoom& room) {
  return {-std::int64_t{room.priority}, room.created};
}

/// The place of the pod. One that does not exist yet comes last of its priority.
inline PlanningPlace PlaceOf(const Pod& pod) {
  return {-std::int64_t{pod.priority}, pod.created == kNoTime ? kForever : pod.created};
}

/// The most entries that a node has.
inline constexpr std::size_t kMostKeptRooms = 8;

/// Returns the entries in their order. What cannot be read is left out, and so is everything after
/// kMostKeptRooms entries.
std::vector<KeptRoom> ParseKeptRooms(std::string_view text);

/// Returns the text of these entries, of which those after kMostKeptRooms are left out.
/// ParseKeptRooms() is its inverse; times are cut to seconds.
std::string KeptRoomsText(const std::vector<KeptRoom>& entries);

}  // namespace berth::model
