#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/snapshot.h"
#include "model/accelerator.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

// The capacity of a cluster in accelerators, for `berth capacity`, the gRPC service and metrics.

namespace berth::placement {

/// A number of nodes, and their devices of one resource. Sums saturate at the limits of int64.
struct DeviceTotals {
  /// Number of nodes.
  std::size_t nodes = 0;
  /// Sum of capacity.
  std::int64_t total = 0;
  /// Sum of what bound pods request.
  std::int64_t used = 0;
  /// Sum of allocatable minus used. A node on which pods request more than it has counts as 0.
  std::int64_t free = 0;

  /// Adds one node.
  void Add(const model::NodeState& node, std::string_view resource);

  friend bool operator==(const DeviceTotals&, const DeviceTotals&) = default;
};

/// Returns the devices of each catalogue entry, by its index, and one element more for the nodes
/// that no entry recognises. That last element has only the number of nodes.
std::vector<DeviceTotals> CountDevices(const model::ClusterView& view,
                                       const model::AcceleratorCatalog& catalog);

struct ExcludedCapacity {
  /// Text as in kube-scheduler's event, and short text for lists (see
  /// policies::scheduling::Reason). What is no reason of Berth's has the same text twice.
  std::string reason;
  std::string summary;
  /// The nodes that are excluded for this reason.
  DeviceTotals devices;

  friend bool operator==(const ExcludedCapacity&, const ExcludedCapacity&) = default;
};

/// The nodes with one accelerator of the catalogue.
struct AcceleratorCapacity {
  /// Name of the catalogue entry, and the resource that it serves.
  std::string accelerator;
  /// The resource that the nodes list.
  std::string resource;
  /// All nodes of the entry, including the excluded ones.
  DeviceTotals devices;
  /// Nodes that would be refused to a pod that requests one device and nothing else, because of a
  /// condition or because Berth cannot read the node; and those that it would not refuse, but that
  /// node-operation-controller is repairing, that are not Ready, or that are cordoned. Most nodes
  /// first.
  std::vector<ExcludedCapacity> excluded;
};

/// Nodes that list a resource of the catalogue although no entry recognises them.
struct UnrecognisedCapacity {
  std::string resource;
  DeviceTotals devices;

  friend bool operator==(const UnrecognisedCapacity&, const UnrecognisedCapacity&) = default;
};

/// What a cluster has, and how much of it is available. A device is available to a new pod if it is
/// `free` and its node is not among `excluded`.
struct Capacity {
  /// The time as of which conditions were judged.
  model::Time time = model::kNoTime;
  /// Every entry of the catalogue, in its order.
  std::vector<AcceleratorCapacity> accelerators;
  /// Only resources with such nodes, ascending by name.
  std::vector<UnrecognisedCapacity> unrecognised;
  /// Sentences about objects that cannot be read; see QuarantineHints.
  std::vector<std::string> hints;
};

/// Counts the nodes of `view` as of `now`. The engine decides which nodes are excluded, as it does
/// for filter. Visits each node once, and does not block.
Capacity CountCapacity(const cluster::Snapshot::Reader& view,
                       const policies::scheduling::SchedulingEngine& engine, model::Time now);

}  // namespace berth::placement
