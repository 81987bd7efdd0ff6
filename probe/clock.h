#pragma once

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// Bad if hardware holds the clock of a GPU down: heat, power brake or an overload of the supply.
/// Unknown if nvidia-smi cannot tell.
Verdict LookForThrottledClocks(const Settings& settings, Progress& progress);

}  // namespace berth::probe
