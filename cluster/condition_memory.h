#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "model/node.h"
#include "model/past_true.h"
#include "model/time.h"

namespace berth::cluster {

/// The most conditions that are remembered for one node. Beyond that, the condition that ceased
/// first is forgotten.
inline constexpr std::size_t kMostPastTrue = 8;

/// A condition that becomes True again within this time counts as True in between, too. A detector
/// that restarts, or a condition that flaps, then does not begin a new fault.
inline constexpr model::Duration kSameFault = std::chrono::minutes(10);

/// Updates `past`, the conditions that a node had with status True at some time, after the node's
/// conditions changed from `former` to `present`.
///
/// - A condition that was True and is no longer, or is True since another time, is added. Its
///   `until` is the last transition of the present condition.
/// - If the type is already in `past`, its entry is extended when the gap is shorter than
///   kSameFault, and otherwise begins anew.
/// - A condition that went from True to Unknown and then to False counts as True until it became
///   False.
/// - Types that are not in `present` are forgotten, and beyond kMostPastTrue entries the oldest
///   `until`.
///
/// Of several conditions of one type, only the first counts. All times are those that the node's
/// conditions state; the function reads no clock. Thread-safe for different `past`.
void RememberTrue(const std::vector<model::Condition>& former,
                  const std::vector<model::Condition>& present, std::vector<model::PastTrue>& past);

}  // namespace berth::cluster
