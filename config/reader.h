#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "yaml/source_error.h"

namespace berth::config {

/// A configuration, or every error in its file.
struct ConfigReading {
  /// Must not be used if there are errors.
  BerthConfiguration config;
  /// The text of the file; empty if the file could not be read. ParseConfig leaves it empty.
  std::string text;
  /// In the order of lines.
  std::vector<yaml::SourceError> errors;

  bool ok() const { return errors.empty(); }
};

/// Reads the YAML text of a configuration and validates it. `file` names the text in errors.
/// Reports all errors at once, with their lines: unknown fields, fields given twice, values of the
/// wrong type, and values that make no sense. An error says what to write instead:
///
///   berth.yaml:12: extender.maxBodyBytes: must be from 1048576 to 1073741824, got 1
///
/// Null means the same as leaving the field out.
ConfigReading ParseConfig(std::string_view text, const std::string& file);

/// Reads `file`, of up to yaml::kMaxYamlBytes, and parses it like ParseConfig(). "-" is standard
/// input. Blocks while it reads.
ConfigReading ReadConfig(const std::string& file);

}  // namespace berth::config
