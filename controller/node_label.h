#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/cluster_view.h"

namespace berth::controller {

/// The label that says which accelerator a node has, "berth.dev/accelerator"; `prefix` is what
/// Berth's names begin with.
inline std::string AcceleratorLabel(std::string_view prefix) {
  return std::string(prefix) + "/accelerator";
}

/// What `label` of a node shall be changed to; nothing: it stays as it is.
///
/// Pods select nodes by the label and avoid them by it, and kubelet checks the affinity of running
/// pods again when it restarts. So it is set where it is missing, but changed only while no bound
/// pod asks for an accelerator, and it outlives devices that vanish: a node that nothing in the
/// catalogue recognises keeps it. So does one in quarantine: nobody knows what it has now.
std::optional<std::string> WantedLabel(const model::NodeState& state,
                                       const model::AcceleratorCatalog& catalog,
                                       std::string_view label);

/// The names of the nodes for which there is one.
std::vector<std::string> NodesToLabel(const model::ClusterView& view,
                                      const model::AcceleratorCatalog& catalog,
                                      std::string_view label);

}  // namespace berth::controller
