#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/config_field.h"
#include "model/time.h"

// The configuration of the health policy:
//
//   health:
//     conditions:
//     - {type: GPUIsLost, effect: Exclude, recovery: 10m}
//     - {type: NICLinkDown, effect: Exclude, resources: [rdma/*]}
//     unknownStatus: Penalize
//     staleAfter: 10m
//     breaker: {fraction: 0.5, minNodes: 10, action: Alert}
//
// The help texts of VisitFields say what each field does. Durations are whole seconds.

namespace berth::policies::scheduling {

/// The effect of a condition on a node, in ascending order of severity.
enum class Effect : std::uint8_t { kIgnore, kPenalize, kExclude };

/// How the configuration spells the effects.
std::span<const model::EnumName<Effect>> EnumNames(Effect);

/// One entry of health.conditions. A type may have several entries; then the worst effect counts.
struct HealthCondition {
  /// Type of the node condition; status True means unhealthy.
  std::string type;
  /// kPenalize or kExclude; Validate refuses kIgnore.
  Effect effect = Effect::kExclude;
  /// How long the condition must be True before it has its effect.
  model::Duration min_duration{0};
  /// How long the node recovers after the condition turned False.
  model::Duration recovery{0};
  /// Shell patterns. The entry applies to pods that request a matching resource; empty for all
  /// pods.
  std::vector<std::string> resources;

  friend bool operator==(const HealthCondition&, const HealthCondition&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, HealthCondition& condition) {
  visit.Required("type", condition.type, "Type of a node condition; True means unhealthy");
  visit.Required("effect", condition.effect, "Exclude or Penalize");
  visit("minDuration", condition.min_duration,
        "How long the condition must be True before it has its effect");
  visit("recovery", condition.recovery,
        "How long after the condition turned False the node ranks behind otherwise equal ones, and "
        "is still penalised if Berth saw the condition True for a minute");
  visit("resources", condition.resources,
        "Shell patterns: the entry is only for pods that ask for a matching resource; empty: for "
        "all pods");
}

/// What happens to a condition's effect if too many nodes have the condition.
enum class BreakerAction : std::uint8_t {
  /// The effect stands; a metric and the log report the condition.
  kAlert,
  /// Exclude is weakened to Penalize on all nodes of the pool.
  kPenalize,
};

/// How the configuration spells the actions.
std::span<const model::EnumName<BreakerAction>> EnumNames(BreakerAction);

/// The block health.breaker. It says when a condition is on so many nodes of a pool (the nodes of
/// one catalogue entry) that its detector is the more likely culprit.
struct BreakerConfig {
  /// Share of a pool's nodes above which the breaker trips, above 0 and at most 1.
  double fraction = 0.5;
  /// Pools with fewer nodes have no breaker; at least 1.
  std::int32_t min_nodes = 10;
  /// What happens while the breaker is tripped.
  BreakerAction action = BreakerAction::kAlert;

  friend bool operator==(const BreakerConfig&, const BreakerConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, BreakerConfig& config) {
  visit("fraction", config.fraction,
        "The breaker trips when more than this share of the nodes of one accelerator has a "
        "condition, above 0; 1: never");
  visit("minNodes", config.min_nodes, "Accelerators with fewer nodes have no breaker; at least 1");
  visit("action", config.action,
        "What a tripped breaker does. Alert: sets berth_breaker_tripped and logs a warning, the "
        "condition keeps its effect; Penalize: also penalises the nodes of that accelerator "
        "instead of excluding them");
}

/// The block health of the configuration.
struct HealthConfig {
  /// At most one entry for the same type and resources.
  std::vector<HealthCondition> conditions = Defaults();
  /// Upper limit of the effect of a condition whose status is Unknown.
  Effect unknown_status = Effect::kPenalize;
  /// Age of a heartbeat from which on a condition counts as Unknown; 0 for never.
  model::Duration stale_after{0};
  BreakerConfig breaker;

  /// The conditions that node-problem-detector and similar detectors publish for broken
  /// accelerators.
  static std::vector<HealthCondition> Defaults();

  friend bool operator==(const HealthConfig&, const HealthConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, HealthConfig& config) {
  visit("conditions", config.conditions, "Which node conditions count, and how");
  visit("unknownStatus", config.unknown_status,
        "What a condition of status Unknown does: Exclude, Penalize or Ignore; never more than the "
        "condition's own effect");
  visit("staleAfter", config.stale_after,
        "A condition whose lastHeartbeatTime is older counts as Unknown, but True keeps its own "
        "effect if that is worse; 0s: never");
  visit("breaker", config.breaker, "What happens if a condition is on suspiciously many nodes");
}

/// Returns every error in `config`, with paths below the block; empty if it is valid.
std::vector<model::FieldError> Validate(const HealthConfig& config);

/// The effect of `condition` while its status is Unknown: `config.unknown_status`, but never worse
/// than the condition's own effect.
Effect EffectOfUnknown(const HealthCondition& condition, const HealthConfig& config);

}  // namespace berth::policies::scheduling
