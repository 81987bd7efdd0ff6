#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/host_port.h"
#include "model/resources.h"

namespace berth::model {

/// What a bound pod takes of its node. A plain value.
struct Demand {
  /// Amounts above 0.
  Resources resources;
  /// 1 if pods are counted, too, otherwise 0.
  std::int64_t pods = 0;
  /// Ports of the node, in the order of the pod's spec.
  std::vector<HostPort> ports = {};
  /// The pod's priority if pods are counted, otherwise 0.
  std::int32_t priority = 0;

  /// Whether it is nothing at all.
  bool empty() const { return resources.empty() && pods == 0 && ports.empty(); }

  friend bool operator==(const Demand&, const Demand&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const Demand& demand) {
    for (const auto& [name, amount] : demand.resources) {
      state = H::combine(std::move(state), name, amount);
    }
    for (const HostPort& port : demand.ports) {
      state = H::combine(std::move(state), port.protocol, port.ip, port.port);
    }
    return H::combine(std::move(state), demand.pods, demand.ports.size(), demand.priority);
  }
};

}  // namespace berth::model
