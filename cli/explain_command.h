#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth explain -f FILE` and `berth explain POD`: which nodes a pod may go to, and why not to the
/// others.
void AddExplainCommand(Command berth);

}  // namespace berth::cli
