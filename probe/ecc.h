#pragma once

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// Bad if a GPU has had more uncorrected ECC errors since its last reset than --max. Unknown if
/// nvidia-smi cannot tell.
Verdict LookForEccErrors(const Settings& settings, Progress& progress);

}  // namespace berth::probe
