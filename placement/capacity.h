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

namespace berth::placement {

/// Nodes, and what they have of one resource.
struct DeviceTotals {
  std::size_t nodes = 0;
  /// Capacity.
  std::int64_t total = 0;
  /// Asked for by bound pods.
  std::int64_t used = 0;
  /// Allocatable less used, of the nodes that have any left.
  std::int64_t free = 0;

  void Add(const model::NodeState& node, std::string_view resource);

  friend bool operator==(const DeviceTotals&, const DeviceTotals&) = default;
};

/// The devices of every entry of the catalogue by its index; then the nodes, and nothing but the
/// nodes, that none recognises.
std::vector<DeviceTotals> CountDevices(const model::ClusterView& view,
                                       const model::AcceleratorCatalog& catalog);

/// Nodes that a condition excludes, or that cannot be read.
struct ExcludedCapacity {
  std::string reason;
  std::string summary;
  DeviceTotals devices;

  friend bool operator==(const ExcludedCapacity&, const ExcludedCapacity&) = default;
};

struct AcceleratorCapacity {
  std::string accelerator;
  std::string resource;
  DeviceTotals devices;
  /// Of these nodes those that a pod asking for one device, and for nothing else, would be refused
  /// on because of a condition, or because the node cannot be read; the greatest number first.
  std::vector<ExcludedCapacity> excluded;

  friend bool operator==(const AcceleratorCapacity&, const AcceleratorCapacity&) = default;
};

/// Nodes that list a resource of the catalogue although no entry recognises them.
struct UnrecognisedCapacity {
  std::string resource;
  DeviceTotals devices;

  friend bool operator==(const UnrecognisedCapacity&, const UnrecognisedCapacity&) = default;
};

/// What a cluster has, and what of it can be had.
struct Capacity {
  model::Time time = model::kNoTime;
  /// In the order of the catalogue, all of it.
  std::vector<AcceleratorCapacity> accelerators;
  /// By resource, ascending; those alone that there are.
  std::vector<UnrecognisedCapacity> unrecognised;
  /// What cannot be read, in sentences; see QuarantineHints.
  std::vector<std::string> hints;

  friend bool operator==(const Capacity&, const Capacity&) = default;
};

/// Counts `view`. What is excluded is the engine's answer, as filter would give it.
Capacity CountCapacity(const cluster::Snapshot::Reader& view,
                       const policies::scheduling::SchedulingEngine& engine, model::Time now);

}  // namespace berth::placement
