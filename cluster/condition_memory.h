#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "model/node.h"
#include "model/past_true.h"
#include "model/time.h"

namespace berth::cluster {

/// As many conditions of one node are remembered; the one that ceased first is forgotten.
inline constexpr std::size_t kMostPastTrue = 8;

/// A condition that is True again so soon, after a detector's restart or because it flaps, has been
/// so all the time.
inline constexpr model::Duration kSameFault = std::chrono::minutes(10);

/// Brings `past` up to date with a node whose conditions were `former`, and are `present` now. Of
/// several conditions of one type the first counts. What was Unknown in between counts as True, and
/// types that the node no longer has are forgotten. Looks at no clock.
void RememberTrue(const std::vector<model::Condition>& former,
                  const std::vector<model::Condition>& present, std::vector<model::PastTrue>& past);

}  // namespace berth::cluster
