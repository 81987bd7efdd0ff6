#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config_field.h"
#include "model/node.h"
#include "model/time.h"

// The configuration of the health policy:
//
//   health:
//     profiles: [pfn, eks]
//     conditions:
//     - {type: GPUIsLost, effect: Exclude, recovery: 10m}
//     - {type: NICLinkDown, effect: Exclude, resources: [rdma/*]}
//     - {type: AcceleratedHardwareReady, badStatus: "False", effect: Exclude, staleAfter: 20m}
//     unknownStatus: Penalize
//     staleAfter: 10m
//     keepFor: 2m
//     breaker: {fraction: 0.5, minNodes: 10, action: Alert}
//
// The help texts of VisitFields say what each field does. Durations are whole seconds.

namespace berth::policies::scheduling {

/// The effect of a condition on a node, in ascending order of severity.
enum class Effect : std::uint8_t { kIgnore, kPenalize, kExclude };

/// How the configuration spells the effects.
std::span<const model::EnumName<Effect>> EnumNames(Effect);

/// The status by which a condition tells of a fault. Unknown cannot be one:
/// HealthConfig::unknown_status says what Unknown does.
enum class BadStatus : std::uint8_t { kTrue, kFalse };

/// How the configuration spells them.
std::span<const model::EnumName<BadStatus>> EnumNames(BadStatus);

/// The detectors whose conditions Berth knows; see health_profiles.h.
enum class HealthProfile : std::uint8_t {
  kNpd,
  kPfn,
  kProbe,
  kNvsentinel,
  kEks,
  kAks,
  kGke,
  kNebius,
  kAmd,
  kLifecycle,
};

/// How the configuration spells the profiles.
std::span<const model::EnumName<HealthProfile>> EnumNames(HealthProfile);

/// One entry of health.conditions. A type may have several entries; then the worst effect counts.
struct HealthCondition {
  /// Type of the node condition.
  std::string type;
  /// With kIgnore the entry only replaces what profiles say of the type; see AllConditions().
  Effect effect = Effect::kExclude;
  /// How long the condition must be bad before it has its effect.
  model::Duration min_duration{0};
  /// How long the node recovers after the condition turned well.
  model::Duration recovery{0};
  /// Shell patterns. The entry applies to pods that request a matching resource; empty for all
  /// pods.
  std::vector<std::string> resources = {};
  /// The status that tells of a fault. All entries of a type have the same.
  BadStatus bad_status = BadStatus::kTrue;
  /// HealthConfig::stale_after for this condition; nothing for that of all.
  std::optional<model::Duration> stale_after = {};
  /// Pods that state a max-runtime of at most this much are left alone by the entry; 0 for none.
  model::Duration max_runtime{0};
  /// Whether the condition tells of maintenance; see IsMaintenance().
  bool maintenance = false;

  /// Whether the condition tells of maintenance, so that the node is no broken one, however long
  /// the entry excludes it. One with a max_runtime always does: a fault leaves no pod alone.
  bool IsMaintenance() const { return maintenance || max_runtime.count() > 0; }

  /// Whether the entry is for every pod, whatever it asks for and states.
  bool IsForAllPods() const { return resources.empty() && max_runtime.count() == 0; }

  friend bool operator==(const HealthCondition&, const HealthCondition&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, HealthCondition& condition) {
  visit.Required("type", condition.type, "Type of a node condition");
  visit(
      "badStatus", condition.bad_status,
      "The status that tells of a fault, in quotes: \"True\", as of GPUIsLost, or \"False\", as of "
      "AcceleratedHardwareReady");
  visit.Required("effect", condition.effect,
                 "Exclude, Penalize or Ignore: the condition does not count, whatever profiles say "
                 "of it");
  visit("minDuration", condition.min_duration,
        "How long the condition must be bad before it has its effect");
  visit("recovery", condition.recovery,
        "How long after the condition turned well the node ranks behind otherwise equal ones, and "
        "is still penalised if Berth saw the condition bad for a minute");
  visit("staleAfter", condition.stale_after,
        "health.staleAfter for this condition: a few heartbeats of its detector; 0s: never, for a "
        "detector that does not repeat itself");
  visit("resources", condition.resources,
        "Shell patterns: the entry is only for pods that ask for a matching resource; empty: for "
        "all pods");
  visit("maxRuntime", condition.max_runtime,
        "The entry leaves pods alone that state by the annotation berth.dev/max-runtime that they "
        "run for at most this long; 0s: none. For maintenance that is planned");
  visit("maintenance", condition.maintenance,
        "Whether the condition tells of maintenance, as it does wherever maxRuntime is set, and "
        "not of a fault: then nobody is asked or allowed to repair the node, and its devices do "
        "not count as lost");
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
  /// Ready lists of conditions. AllConditions() puts them and `conditions` together.
  std::vector<HealthProfile> profiles = {HealthProfile::kPfn};
  /// At most one entry for the same type and resources.
  std::vector<HealthCondition> conditions = {};
  /// Upper limit of the effect of a condition whose status is Unknown, unless it was seen bad for
  /// long before.
  Effect unknown_status = Effect::kPenalize;
  /// Age of a heartbeat from which on a condition counts as Unknown; 0 for never. An entry may have
  /// its own.
  model::Duration stale_after{0};
  /// How long a condition keeps its effect after it ceased to be bad, if it was seen bad for long.
  model::Duration keep_for = std::chrono::minutes(2);
  BreakerConfig breaker;

  friend bool operator==(const HealthConfig&, const HealthConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, HealthConfig& config) {
  visit("profiles", config.profiles,
        "Detectors whose conditions count: `berth config profiles` shows what each name stands "
        "for. What a later one says about a type replaces what earlier ones say. If conditions are "
        "listed and profiles are not, there are none");
  visit("conditions", config.conditions,
        "Which node conditions count besides those of the profiles, and how. The entries for a "
        "type replace those of the profiles");
  visit("unknownStatus", config.unknown_status,
        "What a condition of status Unknown does: Exclude, Penalize or Ignore; never more than the "
        "condition's own effect, which it keeps if Berth saw it bad for long before");
  visit(
      "staleAfter", config.stale_after,
      "A condition whose lastHeartbeatTime is older counts as Unknown, but a bad one keeps its own "
      "effect if that is worse; 0s: never");
  visit(
      "keepFor", config.keep_for,
      "How long a condition keeps its effect after it ceased to be bad, if Berth saw it bad for a "
      "minute: a detector that restarts may report well before it has looked; 0s: not at all");
  visit("breaker", config.breaker, "What happens if a condition is on suspiciously many nodes");
}

/// What a file means that lists conditions and no profiles: these conditions alone, as before there
/// were profiles. Readers call it after they have read the block; `written` tells which fields the
/// file has.
template <typename Written>
void FillIn(HealthConfig& config, const Written& written) {
  if (written("conditions") && !written("profiles")) config.profiles.clear();
}

/// Returns every error in `config`, with paths below the block; empty if it is valid.
std::vector<model::FieldError> Validate(const HealthConfig& config);

/// The effect of `condition` while its status is Unknown and nobody has seen it bad before:
/// `config.unknown_status`, but never worse than the condition's own effect.
Effect EffectOfUnknown(const HealthCondition& condition, const HealthConfig& config);

/// The status of `condition` that is bad: kTrue or kFalse.
model::ConditionStatus BadStatusOf(const HealthCondition& condition);

/// From which age of its heartbeat on `condition` counts as Unknown; 0 for never.
model::Duration StaleAfter(const HealthCondition& condition, const HealthConfig& config);

}  // namespace berth::policies::scheduling
