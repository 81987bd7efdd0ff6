#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth controller --config FILE`, `berth controller --rbac [--config FILE]`.
void AddControllerCommand(Command berth);

}  // namespace berth::cli
