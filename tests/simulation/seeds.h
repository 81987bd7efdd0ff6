#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "tests/simulation/trace.h"

namespace berth::simulation {

/// Which seeds a test runs.
struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
};

/// Those that the environment variable SEEDS names: SEEDS=10000 is the first so many, SEEDS=120-130
/// a range, SEEDS=1234-1234 one of them again. Without it, the first `by_default`. Fails the test
/// if it is neither.
Seeds SeedsToRun(std::uint64_t by_default);

/// How many lines of a story are told.
inline constexpr std::ptrdiff_t kWholeStory = std::numeric_limits<std::ptrdiff_t>::max();
inline constexpr std::ptrdiff_t kEndOfStory = 150;

/// The last `most` lines of what happened.
std::string EndOf(const Trace& trace, std::ptrdiff_t most);

}  // namespace berth::simulation
