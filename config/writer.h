#pragma once

#include <string>

#include "config/config.h"

namespace berth::config {

/// A file that ParseConfig reads as `config`, every field with its help as comment.
std::string WriteConfig(const BerthConfiguration& config);

}  // namespace berth::config
