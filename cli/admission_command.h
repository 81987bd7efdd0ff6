#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth admission --config FILE`.
void AddAdmissionCommand(Command berth);

}  // namespace berth::cli
