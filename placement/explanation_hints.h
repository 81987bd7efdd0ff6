#pragma once

#include <string>
#include <vector>

#include "cluster/snapshot.h"
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

/// Sentences about nodes and pods that cannot be read, and why. Names at most three of each kind
/// and counts the others.
std::vector<std::string> QuarantineHints(const cluster::Snapshot::Reader& view);

}  // namespace berth::placement
