#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_view.h"
#include "model/kept_room.h"
#include "model/time.h"

namespace berth::controller {

/// What the planner keeps for gangs that wait, by the name of the node. A gang has an entry for
/// each resource, and those of a node ascend by gang and resource. `until` is not set.
using KeptByNode = std::map<std::string, std::vector<model::KeptRoom>>;

/// A node whose annotation `kept` is to be changed. A plain value.
struct KeptChange {
  std::string node;
  std::string uid;
  /// What the annotation shall say; empty: it shall go.
  std::string text;
  /// Whether what is there stays right, and is only to hold longer.
  bool is_renewal = false;

  friend bool operator==(const KeptChange&, const KeptChange&) = default;
};

/// Returns the nodes whose annotation, whose full name is given, does not say at `now` what is
/// kept: it says something wrong or nothing, or less than half of `life` is left of an entry. What
/// is written expires after `life`, so that nobody is kept off a node for long if no controller is
/// left.
///
/// `kept` is nothing as long as the present leader does not know what is kept: then entries of its
/// predecessor stay until they expire. Entries are written in the order of planning, and those of
/// equal places as in `kept`; of more than model::kMostKeptRooms of a node the first ones. Nodes in
/// quarantine, and nodes that the view does not have, are left out. The view must keep the UIDs of
/// nodes. No I/O, no clock; thread-safe.
std::vector<KeptChange> PlanKept(const model::ClusterView& view, std::string_view annotation,
                                 const std::optional<KeptByNode>& kept, model::Time now,
                                 model::Duration life);

/// Returns how many nodes of the view have an entry that has not expired.
std::size_t CountKept(const model::ClusterView& view, std::string_view annotation, model::Time now);

}  // namespace berth::controller
