#pragma once

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// Bad if a GPU has pages to be retired (up to Turing) or rows to be remapped (since Ampere) at its
/// next reset. Unknown if nvidia-smi can tell neither of a GPU, unless it does not have the one and
/// the driver does not know the other.
Verdict LookForPendingPages(const Settings& settings, Progress& progress);

}  // namespace berth::probe
