#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "model/host_port.h"
#include "model/resources.h"

namespace berth::cluster {

/// What a bound pod takes of its node. A plain value.
struct Demand {
  /// Amounts above 0.
  model::Resources resources;
  /// 1 if pods are counted, too, otherwise 0.
  std::int64_t pods = 0;
  /// Ports of the node, in the order of the pod's spec.
  std::vector<model::HostPort> ports = {};

  /// Whether it is nothing at all.
  bool empty() const { return resources.empty() && pods == 0 && ports.empty(); }

  friend bool operator==(const Demand&, const Demand&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const Demand& demand) {
    for (const auto& [name, amount] : demand.resources) {
      state = H::combine(std::move(state), name, amount);
    }
    for (const model::HostPort& port : demand.ports) {
      state = H::combine(std::move(state), port.protocol, port.ip, port.port);
    }
    return H::combine(std::move(state), demand.pods, demand.ports.size());
  }
};

/// Stores equal demands once: a large cluster has many pods, but few that ask for something new.
/// Counts the holders of each demand, and forgets it with the last of them. Owned by PodLedger. Not
/// thread-safe: the snapshot's lock guards it.
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
