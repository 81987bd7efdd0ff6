#include "cli/age.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace berth::cli {

std::string FormatAge(model::Time since, model::Time now) {
  const std::int64_t seconds = std::max<std::int64_t>(0, (now - since).count());
  if (seconds < 2 * 60) return fmt::format("{}s", seconds);
  if (seconds < 2 * 3600) return fmt::format("{}m", seconds / 60);
  if (seconds < 2 * 86400) return fmt::format("{}h", seconds / 3600);
  return fmt::format("{}d", seconds / 86400);
}

std::string FormatSince(model::Time newest, model::Time oldest, model::Time now) {
  const std::string from = FormatAge(newest, now);
  const std::string to = FormatAge(oldest, now);
  return from == to ? "since " + from : fmt::format("since {} to {}", from, to);
}

std::string FormatTime(model::Time time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(static_cast<std::time_t>(time.time_since_epoch().count())));
}

}  // namespace berth::cli
