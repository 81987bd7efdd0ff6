#pragma once

#include <string>

#include "model/time.h"

namespace berth::cli {

/// How long ago, in the largest unit of which there are two at least: "90s", "5m", "3h", "12d".
/// What lies ahead, because clocks differ, is "0s".
std::string FormatAge(model::Time since, model::Time now);

/// "since 3h", or "since 5m to 3h" where the two differ.
std::string FormatSince(model::Time newest, model::Time oldest, model::Time now);

/// RFC 3339, as the API writes it: "2026-01-02T03:04:05Z".
std::string FormatTime(model::Time time);

}  // namespace berth::cli
