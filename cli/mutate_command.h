#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth mutate -f FILE`.
void AddMutateCommand(Command berth);

}  // namespace berth::cli
