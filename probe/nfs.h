#pragma once

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// Bad if a mounted NFS file system does not answer. Unknown if the mounts cannot be read, or one
/// of them has gone since or may not be seen, and none is bad.
Verdict LookForDeadMounts(const Settings& settings, Progress& progress);

}  // namespace berth::probe
