#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth version [-o json]`.
void AddVersionCommand(Command berth);

}  // namespace berth::cli
