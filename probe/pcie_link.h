#pragma once

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// Bad if the link of an accelerator has fewer lanes than both of its ends can, or than
/// --min-width, or is slower than --min-speed. Speed counts only then, because idle GPUs lower it
/// by themselves. Unknown if a device does not say.
Verdict LookForDegradedLinks(const Settings& settings, Progress& progress);

}  // namespace berth::probe
