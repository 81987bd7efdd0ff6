#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth config defaults|validate|docs|schema`.
void AddConfigCommand(Command berth);

}  // namespace berth::cli
