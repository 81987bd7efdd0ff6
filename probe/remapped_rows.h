#pragma once

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// Bad if a GPU could not remap a row: it has to be replaced, a reset does not help. Unknown if
/// nvidia-smi cannot tell.
Verdict LookForFailedRemapping(const Settings& settings, Progress& progress);

}  // namespace berth::probe
