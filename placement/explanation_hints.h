#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/snapshot.h"
#include "model/cluster_view.h"
#include "model/node.h"
#include "model/pod.h"
#include "placement/explanation.h"
#include "policies/scheduling/engine.h"

namespace berth::placement {

/// Sentences that explain why a pod is pending, or was placed elsewhere than expected, although
/// nodes fit it:
/// - models in its annotation that the catalogue lacks, and a minimum memory that is not a size;
/// - fitting nodes with fewer free devices than it requests, or that do not list the resource at
///   all;
/// - that the pod is bound already, and so counts as used on its node.
///
/// `explanation` must be complete except for its hints.
std::vector<std::string> HintsFor(const model::Pod& pod, const Explanation& explanation,
                                  const policies::scheduling::SchedulingEngine& engine);

/// A sentence that names the nodes of `view` that node-operation-controller is repairing, three of
/// them at most: kube-scheduler respects its taint and places nothing there. Nothing if there is no
/// such node, or if the pod tolerates the taint.
std::vector<std::string> RepairHints(const model::Pod& pod, const model::ClusterView& view);

/// Whether the node is being repaired: it has model::kOperatingTaint.
bool IsUnderRepair(const model::Node& node);

/// The reason that tells of such nodes.
inline constexpr std::string_view kUnderRepair = "under repair by node-operation-controller";

/// Sentences about nodes and pods that cannot be read, and why. Names at most three of each kind
/// and counts the others.
std::vector<std::string> QuarantineHints(const cluster::Snapshot::Reader& view);

}  // namespace berth::placement
