#pragma once

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// Bad if a port of InfiniBand or RoCE that is not disabled is not active, or fewer than --expect
/// are. Without --expect a node without any is well.
Verdict LookForInfiniBandDown(const Settings& settings, Progress& progress);

}  // namespace berth::probe
