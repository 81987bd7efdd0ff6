#pragma once

#include <string>

namespace berth::config {

/// A JSON Schema of the configuration file, of draft 7, which Helm 3 and editors support. The chart
/// uses it for its value `config`. The schema is as strict as the reader about names, types and
/// words: it allows no unknown fields. Only the reader checks ranges of numbers and the content of
/// texts. Ends with a newline.
std::string ConfigJsonSchema();

}  // namespace berth::config
