#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "kube/path.h"
#include "model/node.h"

// Limits on one node. Kubernetes validates the names of labels and taints, but of a condition only
// that it has a type. Whoever may write the status of one node could fill the memory of every
// process that watches it, and make each compare all conditions with each other. Dropping some
// conditions could drop the one that excludes the node. So a node that exceeds a limit cannot be
// read.

namespace berth::kube {

/// The most conditions of one node.
inline constexpr std::size_t kMaxNodeConditions = 256;

/// The most bytes of the types of all its conditions together.
inline constexpr std::size_t kMaxConditionTypeBytes = 16 * 1024;

/// The most taints of one node.
inline constexpr std::size_t kMaxNodeTaints = 256;

/// Returns InvalidArgument, with the first limit that the node exceeds, or OK. `path` is the
/// node's.
absl::Status CheckNodeSizes(const model::Node& node, const Path& path);

}  // namespace berth::kube
