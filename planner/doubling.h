#pragma once

#include <algorithm>
#include <cstddef>

#include "model/time.h"

namespace berth::planner {

/// Returns `first`, doubled as often as `times` says, but at most `most`: how long to wait for the
/// next attempt after that many others.
inline model::Duration Doubled(model::Duration first, std::size_t times, model::Duration most) {
  for (; times > 0 && first < most; --times) first *= 2;
  return std::min(first, most);
}

}  // namespace berth::planner
