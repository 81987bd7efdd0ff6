#pragma once

#include <string>
#include <vector>

#include "cluster/snapshot.h"
#include "model/pod.h"
#include "placement/explanation.h"
#include "policies/scheduling/engine.h"

namespace berth::placement {

/// What explains that a pod is pending, or goes elsewhere than expected, although nodes fit it; and
/// what is wrong with its annotations.
std::vector<std::string> HintsFor(const model::Pod& pod, const Explanation& explanation,
                                  const policies::scheduling::SchedulingEngine& engine);

/// Which nodes and pods cannot be read, and why.
std::vector<std::string> QuarantineHints(const cluster::Snapshot::Reader& view);

}  // namespace berth::placement
