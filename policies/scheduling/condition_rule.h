#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "model/cluster_view.h"
#include "model/condition_digest.h"
#include "model/node.h"
#include "model/time.h"
#include "policies/scheduling/health_config.h"
#include "policies/scheduling/reason.h"

// How one condition of a node is judged by one entry of health.conditions. Pure functions of the
// node's object and of what the snapshot remembers of it. Thread-safe.

namespace berth::policies::scheduling {

/// What a condition does to its node, in ascending order of severity.
enum class Burden : std::uint8_t { kNone, kRecovering, kPenalized, kExcluded };

/// A condition that was bad for at least this long, and for its minDuration, is not taken for a
/// slip of its detector when it ceases to be so, or becomes Unknown.
inline constexpr model::Duration kLongBad = std::chrono::minutes(1);

/// For how long a condition of the type of `entry` must have been bad not to be taken for a slip.
inline model::Duration LongBad(const HealthCondition& entry) {
  return std::max(kLongBad, entry.min_duration);
}

/// An entry of health.conditions with the reasons for each of its effects.
struct ConditionRule {
  HealthCondition condition;
  /// The condition is bad.
  ReasonId unhealthy = kNoReason;
  /// The condition is Unknown or stale.
  ReasonId unknown = kNoReason;
  /// The condition is Unknown, and was bad for long before.
  ReasonId bad_before = kNoReason;
  /// The condition ceased to be bad recently, after it was so for long.
  ReasonId distrusted = kNoReason;
  /// The condition turned well recently.
  ReasonId recovering = kNoReason;
  /// The condition is bad, but the breaker of the node's pool has tripped.
  ReasonId suspect = kNoReason;
};

/// What a rule finds in one condition of its type, or the policy in a device count.
struct Finding {
  Burden burden = Burden::kNone;
  ReasonId reason = kNoReason;
  model::Time since = model::kNoTime;
  model::Time valid_until = model::kForever;
  /// When the fault itself began, which is earlier than `since` if the detector has restarted
  /// meanwhile. kNoTime if nobody knows.
  model::Time began = model::kNoTime;
};

/// What `rule`, an entry of `config`, finds in `condition`, which is one of `node` and of the
/// entry's type. Breakers are left out of account. HealthPolicy has the table.
Finding JudgeCondition(const ConditionRule& rule, const model::Condition& condition,
                       const model::NodeState& node, const HealthConfig& config, model::Time now);

/// When the fault began for which `entry` of `config` refuses the node, or nullopt if it does not.
/// It is kNoTime if the condition does not say. A restart of the detector does not change it, as
/// long as the snapshot remembers the fault.
std::optional<model::Time> ExcludedSince(const HealthCondition& entry, const HealthConfig& config,
                                         const model::NodeState& node, model::Time now);

/// The worst burden that `entry` of `config` lays on the node by any of its conditions.
Burden WorstBurden(const HealthCondition& entry, const HealthConfig& config,
                   const model::NodeState& node, model::Time now);

/// What decides whether a node's conditions have no effect by some entries, at a glance: comparing
/// the types of conditions takes most of the time, and on most nodes nothing has been bad for long.
class RuleScope {
 public:
  /// Adds an entry of `config`.
  void Add(const HealthCondition& entry, const HealthConfig& config);

  /// Whether the digest alone tells that no condition has an effect by the entries.
  /// It is inline because every node is asked about for every pod.
  bool HaveNoEffect(const std::optional<model::ConditionDigest>& digest, model::Time now) const {
    return digest && !ages_ && (digest->not_false & bad_if_true_) == 0 &&
           (digest->not_true & bad_if_false_) == 0 &&
           now - digest->last_transition >= longest_recovery_;
  }

  /// The same of one condition of the node, whatever its type.
  bool HasNoEffect(const model::Condition& condition, const model::NodeState& node,
                   model::Time now) const {
    if (!node.past.empty()) return false;  // it may have ceased later than it says
    const bool is_well = condition.status == model::ConditionStatus::kFalse && bad_if_false_ == 0;
    return is_well && !ages_ && now - condition.last_transition >= longest_recovery_;
  }

 private:
  // Unions of model::MarkOf for the types that are bad when True, and for those when False.
  std::uint64_t bad_if_true_ = 0;
  std::uint64_t bad_if_false_ = 0;
  // How long after its last transition a condition may have an effect although it is well.
  model::Duration longest_recovery_{0};
  // Whether a condition may be stale.
  bool ages_ = false;
};

}  // namespace berth::policies::scheduling
