#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "model/time.h"
#include "policies/scheduling/health_config.h"
#include "policies/scheduling/policy.h"

namespace berth::policies::scheduling {

/// How many nodes one entry of health.conditions has an effect on.
struct ConditionCount {
  const HealthCondition* condition = nullptr;
  std::size_t excluded = 0;
  std::size_t penalized = 0;
  std::size_t recovering = 0;
};

/// Counts the nodes of `view` for every entry of `config`, in its order, for pods that the entry
/// holds for. The result points into `config`.
std::vector<ConditionCount> CountNodesByCondition(const HealthConfig& config,
                                                  const model::ClusterView& view, model::Time now);

/// Refuses or penalises nodes by their conditions, and penalises nodes that have lost devices. The
/// node's own Ready and pressure conditions are kube-scheduler's business.
/// A condition that turned False a moment ago costs little, since a detector that starts says False
/// of everything; on a node where it was seen True for long it costs as much as a penalty.
/// With a breaker of action Penalize a condition that is on too many nodes of a pool excludes none
/// of them; see breaker.h.
class HealthPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "health";
  static constexpr std::int32_t kDefaultWeight = 4;
  static constexpr std::string_view kConfigKey = "health";
  static constexpr std::string_view kHelp = "Node conditions that exclude or penalise a node";
  using Config = HealthConfig;

  /// Of a node on which a condition turned False a moment ago: among otherwise equal nodes it comes
  /// last. With the default weights and catalogue it costs less than any step of thrift or packing
  /// is worth, on nodes of up to 13 devices.
  static constexpr std::uint16_t kRecoveringScore = kMaxScore - 1;

  /// A condition that was True for so long, and for its minDuration, was no slip of its detector.
  static constexpr model::Duration kLongTrue = std::chrono::minutes(1);

  HealthPolicy(const PolicyContext& context, const HealthConfig& config);

  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

  /// A condition of the config with the reasons for its effect.
  struct Rule {
    HealthCondition condition;
    ReasonId unhealthy = kNoReason;
    ReasonId unknown = kNoReason;
    ReasonId distrusted = kNoReason;
    ReasonId recovering = kNoReason;
    ReasonId suspect = kNoReason;
  };

  /// What every evaluator reads. Immutable.
  struct Rules {
    HealthConfig config;
    std::vector<Rule> all;
    model::Duration longest_recovery{0};
    std::uint64_t marks = 0;  // of the conditions' types, see model::MarkOf
    ReasonId devices_lost = kNoReason;
  };

 private:
  // In which pools the breaker keeps `entry` from excluding, by catalogue index; empty: in none.
  std::vector<bool> SuspectIn(const HealthCondition& entry, const model::PoolStats& pools,
                              model::Time now) const;

  const model::AcceleratorCatalog& catalog_;
  std::shared_ptr<const Rules> rules_;
};

}  // namespace berth::policies::scheduling
