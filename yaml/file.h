#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>

namespace berth::yaml {

/// The file name that stands for standard input.
inline constexpr const char* kStandardInput = "-";

/// Returns the contents of a file, or of standard input for "-". Blocks until the end of the input.
/// Returns NotFound with the system's reason if it cannot be read, and ResourceExhausted if it is
/// longer than `max_bytes`. The errors do not contain the file's name.
absl::StatusOr<std::string> ReadFile(const std::string& name, std::size_t max_bytes);

/// Returns the file's name for messages: the name itself, or "standard input".
std::string DisplayName(const std::string& name);

}  // namespace berth::yaml
