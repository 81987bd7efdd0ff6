#include "model/duration.h"

#include <absl/status/status.h>
#include <absl/strings/string_view.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "model/utf8.h"

namespace berth::model {

namespace {

// Go's limit, because Go programs read the same texts.
constexpr absl::Duration kLongest = absl::Nanoseconds(std::numeric_limits<std::int64_t>::max());

absl::Status Error(std::string_view text, std::string_view problem) {
  // Somebody may have written 200 KiB.
  constexpr std::size_t kMost = 64;
  const std::string_view begin = WholeCharacters(text, kMost);
  const std::string_view more = begin.size() < text.size() ? "..." : "";
  return absl::InvalidArgumentError(
      fmt::format("\"{}{}\" {}; write a duration such as 10m, 1h30m or 0s", begin, more, problem));
}

}  // namespace

absl::StatusOr<Duration> ParseDuration(std::string_view text) {
  absl::Duration duration;
  const absl::string_view words(text.data(), text.size());
  const bool is_one = absl::ParseDuration(words, &duration);
  if (!is_one || text.find("inf") != std::string_view::npos) {
    return Error(text, "is not a duration, which is numbers with the units h, m and s");
  }
  if (absl::AbsDuration(duration) > kLongest) return Error(text, "is longer than 292 years");
  if (duration != absl::Trunc(duration, absl::Seconds(1))) {
    return Error(text, "is not a whole number of seconds");
  }
  return absl::ToChronoSeconds(duration);
}

std::string FormatDuration(Duration duration) {
  return duration == Duration::zero() ? "0s" : absl::FormatDuration(absl::FromChrono(duration));
}

}  // namespace berth::model
