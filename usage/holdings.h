#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/snapshot.h"
#include "model/accelerator.h"
#include "model/time.h"

// Who holds which devices: what bound pods request of the catalogue's resources.

namespace berth::usage {

/// What one bound pod holds of one resource of the catalogue. A plain value.
struct Holding {
  std::string namespace_name;
  std::string pod;
  /// Who created the pod, as admission noted; see model::kCreatedByAnnotation. Empty if nobody did.
  std::string creator;
  std::string node;
  /// The entry of the catalogue that recognises the node. Empty if none does, as for a pod whose
  /// node is not known yet.
  std::string accelerator;
  /// The resource, which may be that of a slice.
  std::string resource;
  /// How many devices, or slices, the pod requests. Greater than 0.
  std::int64_t devices = 0;
  /// When the pod was created; kNoTime if that is not known.
  model::Time created = model::kNoTime;

  friend bool operator==(const Holding&, const Holding&) = default;
};

/// Returns what the pods of `namespace_name`, or of all namespaces if it is empty, hold: ascending
/// by namespace, pod and resource. The snapshot must keep creators (Options::creator_annotation).
std::vector<Holding> HoldingsOf(const cluster::Snapshot::Reader& view,
                                const model::AcceleratorCatalog& catalog,
                                std::string_view namespace_name = {});

/// Whole devices of one accelerator that the pods of one creator in one namespace hold. A plain
/// value.
struct DevicesInUse {
  /// kUnknownCreator if nobody noted who created the pods, or kOthers.
  std::string creator;
  /// Or kOthers.
  std::string namespace_name;
  /// The name in the catalogue; kNoAccelerator if no entry recognises the node.
  std::string accelerator;
  std::int64_t devices = 0;

  friend bool operator==(const DevicesInUse&, const DevicesInUse&) = default;
};

// Values of labels that stand for something else than a name. No namespace and no accelerator has
// parentheses in its name.

/// The creator of pods of which that is not known.
inline constexpr std::string_view kUnknownCreator = "(unknown)";
/// The creators and namespaces that have no series of their own.
inline constexpr std::string_view kOthers = "(others)";
/// As in the metric berth_nodes.
inline constexpr std::string_view kNoAccelerator = "none";

/// Returns the `most` greatest of `all`, the greatest first, and after them the sums of all others
/// by accelerator, under kOthers. So the sum over everything does not depend on `most`.
std::vector<DevicesInUse> Greatest(std::vector<DevicesInUse> all, std::size_t most);

/// Returns the Greatest() numbers of whole devices by creator, namespace and accelerator. As in
/// CountDevices() of placement/capacity.h, slices with a resource of their own do not count. Visits
/// each bound pod once.
std::vector<DevicesInUse> CountDevicesInUse(const cluster::Snapshot::Reader& view,
                                            const model::AcceleratorCatalog& catalog,
                                            std::size_t most);

}  // namespace berth::usage
