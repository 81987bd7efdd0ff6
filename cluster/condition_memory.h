#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "model/node.h"
#include "model/past_status.h"
#include "model/time.h"

namespace berth::cluster {

/// The most conditions that are remembered for one node and one status: as many that have it, and
/// as many that ceased to have it. Beyond that, what began or ceased first is forgotten.
inline constexpr std::size_t kMostPast = 8;

/// A status that a condition had for less than this before it became Unknown does not end the one
/// that it had before: a detector that starts may report all as well before it has looked, and then
/// find that it cannot look. It is as long as health.keepFor is by default.
inline constexpr model::Duration kMoment = std::chrono::minutes(2);

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
/// - A condition that becomes Unknown counts as having the status that it had before, until it gets
///   the opposite: the record still lasts, `until` is when it became Unknown, and `noticed` when
///   Berth learned of that. If it had the status for less than kMoment, and the opposite one
///   before, both records last. What is Unknown when it is first seen has no record. An Unknown
///   that is written anew, as by a detector that restarts, changes nothing.
/// - Types that are not in `present` are forgotten: whoever removes a condition says that it is
///   over, and nobody says since when.
///
/// Of several conditions of one type, only the first counts. The function reads no clock.
/// Thread-safe for different `past`.
void RememberStatus(const std::vector<model::Condition>& former,
                    const std::vector<model::Condition>& present, model::Time now,
                    std::vector<model::PastStatus>& past);

}  // namespace berth::cluster
