#pragma once

#include <cstddef>
#include <vector>

#include "model/node.h"
#include "model/past_status.h"
#include "model/time.h"

namespace berth::cluster {

/// The most conditions that are remembered for one node and one status: as many that have it, and
/// as many that ceased to have it. Beyond that, what began or ceased first is forgotten.
inline constexpr std::size_t kMostPast = 8;

/// Updates `past`, what conditions of a node were seen to become and to be no longer, after the
/// node's conditions changed from `former` to `present`, of which Berth learned at `now`; kNoTime
/// if nobody knows. Which status is bad is the reader's business, so both are remembered.
///
/// - A condition that had a status and has it no longer is recorded. So is one that is True since
///   another time; for False this is not done, because a detector that restarts writes a new time
///   into every condition, and those are mostly False. The record's `until` is the last transition
///   of the present condition, and `noticed` is `now`.
/// - A condition that has got a status is recorded as one that lasts: `since` is its last
///   transition, and `noticed_since` is `now`. What a node has when it is first seen is not
///   recorded, because on most nodes that stays so. Of a type that appears on a known node, only
///   True is: for most types that is a fault that has begun.
/// - If type and status are already in `past`, the entry goes on when the gap is shorter than
///   model::kSameFault, and otherwise begins anew. The gap is by Berth's clock, but at most
///   model::kClockError shorter or longer than by that of the node, because Berth may learn of
///   things late. If either clock does not tell, it is the gap by the other.
/// - A condition that went by Unknown to the opposite status counts as having had the former one
///   until it got the opposite.
/// - Types that are not in `present` are forgotten: whoever removes a condition says that it is
///   over, and nobody says since when.
///
/// Of several conditions of one type, only the first counts. The function reads no clock.
/// Thread-safe for different `past`.
void RememberStatus(const std::vector<model::Condition>& former,
                    const std::vector<model::Condition>& present, model::Time now,
                    std::vector<model::PastStatus>& past);

}  // namespace berth::cluster
