#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "model/time.h"

namespace berth::model {

/// Reads a duration as Go's time.ParseDuration does ("10m", "1h30m", "1.5h", "0s"), which is how
/// Kubernetes writes them; it must be a whole number of seconds and fit Go's 292 years. An error
/// says what to write instead.
absl::StatusOr<Duration> ParseDuration(std::string_view text);

/// Writes what ParseDuration reads, without parts that are zero: "1h30m", "10m", "0s".
std::string FormatDuration(Duration duration);

}  // namespace berth::model
