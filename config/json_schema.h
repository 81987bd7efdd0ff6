#pragma once

#include <string>

namespace berth::config {

/// JSON Schema of the configuration file, of draft 7, which is what Helm 3 and editors read. As
/// strict about names, types and words as the reader is; what numbers and texts make sense is the
/// reader's alone to say. Ends with a newline.
std::string ConfigJsonSchema();

}  // namespace berth::config
