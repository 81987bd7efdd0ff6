#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/cluster_view.h"

namespace berth::controller {

/// The names of the labels that say which accelerator a node has, and how much memory a device of
/// it: "berth.dev/accelerator: V100", "berth.dev/accelerator-memory: 34".
struct NodeLabelNames {
  explicit NodeLabelNames(std::string_view prefix);

  /// Both, as the snapshot has to keep them.
  std::vector<std::string> all() const { return {accelerator, memory}; }

  std::string accelerator;
  std::string memory;
};

/// What labels of a node shall be changed to; empty: they stay as they are.
///
/// Pods select nodes by the labels and avoid them by these, and kubelet checks the affinity of
/// running pods again when it restarts. So a label is set where it is missing, but changed only
/// while no bound pod asks for an accelerator, and it outlives devices that vanish: a node of which
/// nothing is known any more keeps it. So does one in quarantine: nobody knows what it has now.
///
/// The memory is in whole GiB, that of the greatest minimum which the node meets. What is too low,
/// or no number, is changed at once: the affinities that admission writes ask for more than some
/// number, which they go on to find, and until then they keep pods off a node that fits them.
model::StringMap WantedLabels(const model::NodeState& state,
                              const model::AcceleratorCatalog& catalog,
                              const NodeLabelNames& labels);

/// The names of the nodes for which there are some.
std::vector<std::string> NodesToLabel(const model::ClusterView& view,
                                      const model::AcceleratorCatalog& catalog,
                                      const NodeLabelNames& labels);

}  // namespace berth::controller
