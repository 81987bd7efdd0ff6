#pragma once

#include "cli/command.h"

namespace berth::cli {

/// `berth extender --config FILE`.
void AddExtenderCommand(Command berth);

}  // namespace berth::cli
