#pragma once

#include <chrono>
#include <string>

#include "model/node.h"
#include "model/time.h"

namespace berth::model {

/// A condition that has its former status again within this time counts as never without it. A
/// detector that restarts, or a condition that flaps, then does not begin a new fault.
inline constexpr Duration kSameFault = std::chrono::minutes(10);

/// A status that Berth itself has seen a condition of a node have, and that it has no longer. A
/// detector that starts reports every condition as well since now, so its transition time does not
/// tell whether a fault just ended; this record does. Times are those of the node's object,
/// but for `noticed`. The snapshot maintains it; see cluster/condition_memory.h. A plain value.
struct PastStatus {
  /// The condition's type.
  std::string type;
  /// When it got the status. kNoTime if nobody knows, which counts as long ago.
  Time since = kNoTime;
  /// When it ceased to have the status.
  Time until = kNoTime;
  /// kTrue or kFalse.
  ConditionStatus status = ConditionStatus::kTrue;
  /// When Berth learned that it has the status no longer, by Berth's clock: that of the node may be
  /// minutes off. kNoTime if the snapshot has no clock.
  Time noticed = kNoTime;

  friend bool operator==(const PastStatus&, const PastStatus&) = default;
};

}  // namespace berth::model
