#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "model/kept_room.h"
#include "model/node.h"

namespace berth::cluster {

/// For which places in the order of planning nodes keep devices, updated as nodes are added,
/// changed and removed. Owned by NodeTable. Not thread-safe.
///
/// Memory depends on the places, of which each node has model::kMostKeptRooms at most.
class KeptPlaces {
 public:
  /// See model::ClusterView::LastKept().
  std::optional<model::PlanningPlace> LastUpTo(const model::PlanningPlace& place) const;

  /// Counts the entries of the annotations of a node.
  void Add(const model::StringMap& annotations) { Count(annotations, +1); }
  /// Undoes an Add() with equal annotations.
  void Remove(const model::StringMap& annotations) { Count(annotations, -1); }

 private:
  // Adds `step`, +1 or -1, to the counts of the entries.
  void Count(const model::StringMap& annotations, int step);

  // How many entries have each place. Counts are unsigned: adding a step of -1 wraps around, which
  // subtracts 1.
  std::map<model::PlanningPlace, std::size_t> counts_;
};

}  // namespace berth::cluster
