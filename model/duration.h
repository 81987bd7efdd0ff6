#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "model/time.h"

namespace berth::model {

/// Parses a duration as Go's time.ParseDuration does ("10m", "1h30m", "1.5h", "0s"), which is how
/// Kubernetes writes durations. A sign is allowed. Returns InvalidArgument, with a sentence that
/// says what to write instead, if the text is not a duration, is not a whole number of seconds, or
/// exceeds Go's 292 years.
///
///   ParseDuration("1h30m")  // 90 minutes
///   ParseDuration("1.5s")   // InvalidArgument: is not a whole number of seconds
///   ParseDuration("10")     // InvalidArgument: is not a duration
absl::StatusOr<Duration> ParseDuration(std::string_view text);

/// Writes a duration for ParseDuration(), without parts that are zero: "1h30m", "10m", "0s".
std::string FormatDuration(Duration duration);

}  // namespace berth::model
