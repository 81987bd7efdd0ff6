#pragma once

#include <string>

namespace berth::config {

/// docs/configuration.md: a table of fields for each block of the configuration.
std::string ConfigDocs();

}  // namespace berth::config
