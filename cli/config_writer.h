#pragma once

#include <string>

#include "cli/config.h"

namespace berth::cli {

/// A file that ParseConfig reads as `config`, every field with its help as comment.
std::string WriteConfig(const BerthConfiguration& config);

}  // namespace berth::cli
