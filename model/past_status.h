#pragma once

#include <chrono>
#include <string>

#include "model/node.h"
#include "model/time.h"

namespace berth::model {

/// A condition that has its former status again within this time counts as never without it. A
/// detector that restarts, or a condition that flaps, then does not begin a new fault.
inline constexpr Duration kSameFault = std::chrono::minutes(10);

/// By how much the clock of a node, or of another machine, may be wrong. Where Berth itself has
/// seen a condition change, what the node's object says of that counts only as far as it differs by
/// more than this.
inline constexpr Duration kClockError = std::chrono::minutes(5);

/// A status that Berth itself has seen a condition of a node get or lose. A detector that starts
/// reports every condition as well since now, so its transition time does not tell whether a fault
/// just ended; this record does. `since` and `until` are times of the node's object. Its clock may
/// be minutes off, and be set right meanwhile, so the others are by Berth's; they are kNoTime if
/// the snapshot has no clock. The snapshot maintains it; see cluster/condition_memory.h. A plain
/// value.
struct PastStatus {
  /// The condition's type.
  std::string type;
  /// When it got the status. kNoTime if nobody knows, which counts as long ago.
  Time since = kNoTime;
  /// When it last ceased to have the status; kNoTime if it never did.
  Time until = kNoTime;
  /// kTrue or kFalse.
  ConditionStatus status = ConditionStatus::kTrue;
  /// Whether it has the status now, or is Unknown and had it before.
  bool lasts = false;
  /// When Berth last learned that it had the status no longer; kNoTime if it never did.
  Time noticed = kNoTime;
  /// When Berth learned that it had got the status; kNoTime if it had the status already when Berth
  /// first saw it.
  Time noticed_since = kNoTime;

  friend bool operator==(const PastStatus&, const PastStatus&) = default;
};

/// By when the condition had the status, which Berth has seen it get, by Berth's clock. Berth may
/// have learned of it late, as after an outage, so the node's word counts too, less what its clock
/// may be behind.
Time BeganBefore(const PastStatus& seen);

/// For how long the condition had the status when it last ceased to have it or became Unknown; 0 if
/// it never did. If Berth has not seen it begin, only the node's clock tells, and if not even the
/// node knows since when, it is Duration::max().
Duration LastedFor(const PastStatus& seen);

}  // namespace berth::model
