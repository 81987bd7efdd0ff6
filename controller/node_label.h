#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/cluster_view.h"

namespace berth::controller {

/// The names of the labels that say which accelerator a node has and how much memory each of its
/// devices has, in GiB: "berth.dev/accelerator: V100", "berth.dev/accelerator-memory: 34". A plain
/// value.
struct NodeLabelNames {
  /// `prefix` is the part before the slash: "berth.dev".
  explicit NodeLabelNames(std::string_view prefix);

  /// Returns both names, for cluster::Snapshot::Options::labels.
  std::vector<std::string> all() const { return {accelerator, memory}; }

  /// "berth.dev/accelerator": the name of the entry in the catalogue.
  std::string accelerator;
  /// "berth.dev/accelerator-memory": a number of GiB, without unit.
  std::string memory;
};

/// Returns the labels of a node that shall be changed, with their new values; empty if all may stay
/// as they are. Labels are never removed.
///
/// Pods select nodes and avoid nodes by these labels, and kubelet checks the affinity of running
/// pods again when it restarts. So:
/// - A missing label is added.
/// - A label with another value is changed only while no bound pod asks for an accelerator.
/// - A node keeps its labels if its devices vanish, because nothing is known about it then.
/// - A node in quarantine keeps them, too, because it is unknown what it has now.
///
/// The memory is the largest minimum memory that the node's devices meet, in whole GiB. A value
/// that is too low, or is not a number, is changed at once, even under running pods. The affinities
/// that admission writes ask for more than some number, so a greater value still satisfies them;
/// and until the change, they keep pods off a node that fits.
model::StringMap WantedLabels(const model::NodeState& state,
                              const model::AcceleratorCatalog& catalog,
                              const NodeLabelNames& labels);

/// Returns the names of the nodes for which WantedLabels() returns any, in the order of the view.
std::vector<std::string> NodesToLabel(const model::ClusterView& view,
                                      const model::AcceleratorCatalog& catalog,
                                      const NodeLabelNames& labels);

}  // namespace berth::controller
