#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth capacity`: counts the cluster's devices by accelerator.
void AddCapacityCommand(Command berth);

}  // namespace berth::cli
