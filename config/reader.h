#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "yaml/source_error.h"

namespace berth::config {

/// A configuration, or all that is wrong with its file.
struct ConfigReading {
  BerthConfiguration config;
  /// What it was read from, as far as it could be read.
  std::string text;
  /// By line. Not empty: `config` is not to be used.
  std::vector<yaml::SourceError> errors;

  bool ok() const { return errors.empty(); }
};

/// Reads the YAML text of a configuration; `file` names it in the errors. Strict: keys that do not
/// exist, keys given twice, values of the wrong type and values that make no sense together are
/// errors. Null is the same as a key left out.
ConfigReading ParseConfig(std::string_view text, const std::string& file);

/// ParseConfig() of a file, "-" being standard input.
ConfigReading ReadConfig(const std::string& file);

}  // namespace berth::config
