#pragma once

#include <string>

#include "config/config.h"

namespace berth::config {

/// A file that ParseConfig reads as `config`. Contains every field, with its help text as a
/// comment.
std::string WriteConfig(const BerthConfiguration& config);

}  // namespace berth::config
