#include "model/past_status.h"

#include <algorithm>

namespace berth::model {

Time BeganBefore(const PastStatus& seen) {
  return std::min(seen.noticed_since, SaturatingAdd(seen.since, kClockError));
}

Duration LastedFor(const PastStatus& seen) {
  const bool seen_begin = seen.noticed_since != kNoTime;
  // Nobody knows since when, so assume long ago.
  if (!seen_begin && seen.since == kNoTime) return Duration::max();
  const Time since = seen_begin ? BeganBefore(seen) : seen.since;
  const Time until = seen_begin ? seen.noticed : seen.until;
  return std::max(until - since, Duration{0});
}

}  // namespace berth::model
