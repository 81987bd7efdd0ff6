#pragma once

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// Bad if a task of a pod has been in state D (uninterruptible sleep) for --for without having run
/// in between. It takes several runs to know: what hangs at the end of one is remembered in the run
/// directory. Tasks of the kernel do not count. Unknown if /proc cannot be read.
Verdict LookForHungTasks(const Settings& settings, Progress& progress);

}  // namespace berth::probe
