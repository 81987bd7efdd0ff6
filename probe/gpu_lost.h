#pragma once

#include <cstdint>

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// Bad if an accelerator does not answer on the PCI bus, if there are fewer than --expect, or if
/// nvidia-smi lists fewer than there are on the bus or says that one is broken. Unknown if
/// nvidia-smi cannot tell. Of vendors other than NVIDIA only the bus is asked.
Verdict LookForLostGpus(const Settings& settings, Progress& progress);

/// The verdict on what nvidia-smi has answered to the question for the addresses of all GPUs, of
/// which there are to be so many.
Verdict JudgeGpuList(const ProgramResult& result, std::uint64_t expected);

}  // namespace berth::probe
