#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "kube/path.h"
#include "model/node.h"

// How much Berth reads of one node. Kubernetes validates the names of labels and taints, and
// nothing of a condition but that it has a type: whoever may write the status of one node could
// fill the memory of all who watch it, and have them compare each condition with all others. Losing
// some could lose the one that excludes the node, so a node that has more cannot be read.

namespace berth::kube {

inline constexpr std::size_t kMaxNodeConditions = 256;

/// Of the types of all its conditions together.
inline constexpr std::size_t kMaxConditionTypeBytes = 16 * 1024;

inline constexpr std::size_t kMaxNodeTaints = 256;

/// InvalidArgument where the node has more. `path` is the node's.
absl::Status CheckNodeSizes(const model::Node& node, const Path& path);

}  // namespace berth::kube
