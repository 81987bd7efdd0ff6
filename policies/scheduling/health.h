#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.h"
#include "policies/scheduling/condition_rule.h"
#include "policies/scheduling/health_config.h"
#include "policies/scheduling/policy.h"

namespace berth::policies::scheduling {

/// The number of nodes on which one of AllConditions() has an effect. Each node counts
/// once, for the worst effect.
struct ConditionCount {
  HealthCondition condition;
  /// Nodes that the entry refuses.
  std::size_t excluded = 0;
  /// Nodes with the score 0, because of the condition or because it was bad for long until
  /// recently.
  std::size_t penalized = 0;
  /// Nodes whose condition turned well recently. Their score is kRecoveringScore.
  std::size_t recovering = 0;
};

/// Counts the nodes of `view` for every entry of AllConditions(config), in its order, as of `now`.
/// The counts apply to pods to which the entry applies (see HealthCondition::resources and
/// HealthCondition::max_runtime). Breakers are left out of account. Visits every node once for each
/// entry.
std::vector<ConditionCount> CountNodesByCondition(const HealthConfig& config,
                                                  const model::ClusterView& view, model::Time now);

/// Whether `entry` of `config` refuses the node, as of `now`, to the pods to which it applies.
/// Breakers are left out of account.
bool Excludes(const HealthCondition& entry, const HealthConfig& config,
              const model::NodeState& node, model::Time now);

/// Returns `config` without `keep_for`: by it, what is over has no effect. It tells whether a node
/// is to get a taint or a label, and `config` itself whether the node keeps it. A detector that is
/// mended lets go of all nodes at once, also of those that its breaker has spared.
inline HealthConfig OfThePresent(HealthConfig config) {
  config.keep_for = {};
  return config;
}

/// Whether `entry` is for `pod`: it asks for one of the entry's resources, and does not state a
/// max-runtime that the entry leaves alone. `runtime_annotation` is the full name of max-runtime.
bool AppliesTo(const HealthCondition& entry, const model::Pod& pod,
               std::string_view runtime_annotation);

/// Refuses or penalises nodes by their conditions, and penalises nodes that have lost devices. It
/// does not read the node's Ready and pressure conditions, which are kube-scheduler's business. The
/// worst of these effects decides:
///
///   a condition is                      effect of an entry for its type
///   bad for at least minDuration        the entry's own: Exclude refuses, Penalize scores 0
///   bad for a shorter time              none yet
///   well for less than recovery         kRecoveringScore, or 0 if it was seen bad for long
///   well, or removed from the node      none
///   Unknown, and seen bad before        the entry's own, if it was bad for long
///   Unknown otherwise, or stale         EffectOfUnknown(); a bad one keeps its own effect if worse
///
/// Which status is bad, the entry says. What was bad for long before it became Unknown ends like
/// what is bad: when the detector says that it is well, or the condition is removed. A condition
/// that turned well recently costs little by itself, because a detector that has just started
/// reports all as well. For the same reason a condition that was seen bad, was not for less than
/// model::kSameFault, and is bad again, is bad since the first time. Devices are lost if
/// allocatable is below capacity or, for nvidia.com/gpu, below the number of GPUs that the node's
/// labels tell.
///
/// If the breaker's action is Penalize, a condition that is on too many nodes of a pool excludes
/// none of them; see breaker.h.
class HealthPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "health";
  static constexpr std::int32_t kDefaultWeight = 4;
  static constexpr std::string_view kConfigKey = "health";
  static constexpr std::string_view kHelp = "Node conditions that exclude or penalise a node";
  using Config = HealthConfig;

  /// Score of a node on which a condition turned well recently: it comes last among otherwise
  /// equal nodes. With the default weights and catalogue it costs less than any step of thrift or
  /// packing is worth, on nodes of up to 13 devices.
  static constexpr std::uint16_t kRecoveringScore = kMaxScore - 1;

  /// Interns the reasons of every configured condition. `config` must have passed Validate.
  HealthPolicy(const PolicyContext& context, const HealthConfig& config);

  /// Never refuses a pod everywhere. Decides with `view` in which pools breakers have tripped.
  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

  /// berth.dev/max-runtime, if an entry leaves short pods alone.
  std::vector<std::string> Annotations() const override;

  /// What every evaluator reads. Immutable; evaluators share it.
  struct Rules {
    HealthConfig config;
    /// In the order of AllConditions().
    std::vector<ConditionRule> all;
    RuleScope scope;  // of all of them
    /// Fewer devices are allocatable than installed.
    ReasonId devices_lost = kNoReason;
  };

 private:
  // In which pools the breaker keeps `entry` from excluding nodes, by catalogue index. Empty if it
  // can do so in none.
  std::vector<bool> SuspectIn(const HealthCondition& entry, const model::PoolStats& pools,
                              model::Time now) const;

  const model::AcceleratorCatalog& catalog_;
  std::shared_ptr<const Rules> rules_;
  const std::string runtime_annotation_;
};

}  // namespace berth::policies::scheduling
