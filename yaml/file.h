#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>

namespace berth::yaml {

/// The name under which standard input is read.
inline constexpr const char* kStandardInput = "-";

/// Everything in a file, or on standard input for "-", if it is not longer than `max_bytes`. An
/// error tells what is wrong without the file's name.
absl::StatusOr<std::string> ReadFile(const std::string& name, std::size_t max_bytes);

/// How messages call it: the name, or "standard input".
std::string DisplayName(const std::string& name);

}  // namespace berth::yaml
