#pragma once

#include <string>

#include "config/config.h"
#include "config/schema.h"

namespace berth::config {

/// A file that ParseConfig reads as `config`. Contains every field, with its help text as a
/// comment:
///
///   # Domain of Berth's labels and annotations.
///   prefix: berth.dev
///
/// `berth config defaults` prints the defaults in this form.
std::string WriteConfig(const BerthConfiguration& config);

/// Writes a value on one line: `{type: A, effect: Exclude}`.
std::string WriteInline(const ConfigValue& value);

}  // namespace berth::config
