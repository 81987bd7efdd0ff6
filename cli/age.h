#pragma once

#include <string>

#include "model/time.h"

namespace berth::cli {

/// How long ago `since` was, in the largest unit that gives at least 2: "90s", "5m", "3h", "12d". A
/// time in the future, because clocks differ, gives "0s".
std::string FormatAge(model::Time since, model::Time now);

/// "since 3h", or "since 5m to 3h" if the two ages differ.
std::string FormatSince(model::Time newest, model::Time oldest, model::Time now);

/// RFC 3339, as the API writes times: "2026-01-02T03:04:05Z".
std::string FormatTime(model::Time time);

}  // namespace berth::cli
