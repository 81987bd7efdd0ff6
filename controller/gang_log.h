#pragma once

#include <vector>

#include "model/time.h"
#include "planner/config.h"
#include "planner/gang_change.h"

namespace berth::controller {

/// Logs what has become of a gang, in one line: its name and size, the reason if there is one, how
/// many seconds ago its first pod was created, and of a released gang over how many domains of each
/// level of `topology` it is spread ("topology.kubernetes.io/zone=2"). Thread-safe.
void LogGang(const planner::GangChange& change, const std::vector<planner::TopologyLevel>& topology,
             model::Time now);

}  // namespace berth::controller
