#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth config defaults|validate|docs`.
void AddConfigCommand(Command berth);

}  // namespace berth::cli
