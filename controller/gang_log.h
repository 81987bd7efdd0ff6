#pragma once

#include "planner/gang_change.h"

namespace berth::controller {

/// Logs what has become of a gang, in one line: its name and size, the reason if there is one, the
/// age of its first pod in seconds, and of a released gang over how many domains of each level of
/// the topology it is spread ("topology.kubernetes.io/zone=2"). Thread-safe.
void LogGang(const planner::GangChange& change);

}  // namespace berth::controller
