#pragma once

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// Bad if a network interface that is switched on has no carrier, or a name in --only is missing.
/// Virtual interfaces and virtual functions do not count.
Verdict LookForLinksDown(const Settings& settings, Progress& progress);

}  // namespace berth::probe
