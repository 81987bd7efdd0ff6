#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/node_hash_map.h"
#include "model/demand.h"

namespace berth::cluster {

using Demand = model::Demand;

/// Stores equal demands once: a large cluster has many pods, but few that ask for something new,
/// and few priorities. Counts the holders of each demand, and forgets it with the last of them.
/// Owned by PodLedger. Not thread-safe: the snapshot's lock guards it.
///
///   const Demand* demand = table.Hold({.resources = requests});
///   ...  // pods that ask for the same get the same pointer
///   table.Release(demand);
class DemandTable {
 public:
  /// Returns the stored demand that equals `demand`. It stays where it is until Release() was
  /// called as often as Hold().
  const Demand* Hold(Demand demand);
  /// Undoes one Hold() that returned `demand`.
  void Release(const Demand* demand);

  /// The number of different demands.
  std::size_t size() const { return holders_.size(); }

 private:
  // How many hold each demand. The entries never move.
  absl::node_hash_map<Demand, std::uint32_t> holders_;
};

}  // namespace berth::cluster
