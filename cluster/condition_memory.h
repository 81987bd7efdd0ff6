#pragma once

#include <cstddef>
#include <vector>

#include "model/node.h"
#include "model/past_status.h"
#include "model/time.h"

namespace berth::cluster {

/// The most conditions that are remembered for one node and one status. Beyond that, what ceased
/// first is forgotten.
inline constexpr std::size_t kMostPast = 8;

/// Updates `past`, what conditions of a node were at some time, after the node's conditions changed
/// from `former` to `present`, of which Berth learned at `now`; kNoTime if nobody knows. Which
/// status is bad is the reader's business, so both are remembered.
///
/// - A condition that had a status and has it no longer is added. So is one that is True since
///   another time; for False this is not done, because a detector that restarts writes a new time
///   into every condition, and those are mostly False. The record's `until` is the last transition
///   of the present condition, and `noticed` is `now`.
/// - If type and status are already in `past`, the entry is extended when the gap is shorter than
///   model::kSameFault, and otherwise begins anew.
/// - A condition that went by Unknown to the opposite status counts as having had the former one
///   until it got the opposite.
/// - Types that are not in `present` are forgotten: whoever removes a condition says that it is
///   over, and nobody says since when.
///
/// Of several conditions of one type, only the first counts. All other times are those that the
/// node's conditions state; the function reads no clock. Thread-safe for different `past`.
void RememberStatus(const std::vector<model::Condition>& former,
                    const std::vector<model::Condition>& present, model::Time now,
                    std::vector<model::PastStatus>& past);

}  // namespace berth::cluster
