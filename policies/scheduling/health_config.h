#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/config_field.h"
#include "model/time.h"

namespace berth::policies::scheduling {

/// What a node condition does to a node; each is worse than the one before.
enum class Effect : std::uint8_t { kIgnore, kPenalize, kExclude };

std::span<const model::EnumName<Effect>> EnumNames(Effect);

/// One entry of health.conditions. A type may have several: the worst effect counts.
struct HealthCondition {
  std::string type;
  Effect effect = Effect::kExclude;
  model::Duration min_duration{0};
  model::Duration recovery{0};
  std::vector<std::string> resources;
};

template <typename Visitor>
void VisitFields(Visitor& visit, HealthCondition& condition) {
  visit.Required("type", condition.type, "Type of a node condition; True means unhealthy");
  visit.Required("effect", condition.effect, "Exclude or Penalize");
  visit("minDuration", condition.min_duration, "How long it must be True before it has its effect");
  visit("recovery", condition.recovery,
        "How long after it turned False the node comes behind otherwise equal ones, and is still "
        "penalised if Berth saw it True for a minute");
  visit("resources", condition.resources,
        "Only for pods that ask for a resource of these shell patterns; none: for all");
}

/// What becomes of a condition's effect where too many nodes have it.
enum class BreakerAction : std::uint8_t {
  /// It stands.
  kAlert,
  /// Exclude is weakened to Penalize.
  kPenalize,
};

std::span<const model::EnumName<BreakerAction>> EnumNames(BreakerAction);

/// The block health.breaker: when a condition is on so many nodes of a pool (the nodes of one
/// catalogue entry) that its detector is the likelier culprit.
struct BreakerConfig {
  double fraction = 0.5;
  std::int32_t min_nodes = 10;
  BreakerAction action = BreakerAction::kAlert;
};

template <typename Visitor>
void VisitFields(Visitor& visit, BreakerConfig& config) {
  visit("fraction", config.fraction,
        "It trips when a condition is on more than this share of the nodes of one accelerator, "
        "above 0; 1: never");
  visit("minNodes", config.min_nodes, "Accelerators with fewer nodes have no breaker; 1 at least");
  visit("action", config.action,
        "When tripped. Alert: berth_breaker_tripped and a warning in the log, the effect stands; "
        "Penalize: also nodes of that accelerator are penalised where they would be excluded");
}

struct HealthConfig {
  std::vector<HealthCondition> conditions = Defaults();
  Effect unknown_status = Effect::kPenalize;
  model::Duration stale_after{0};
  BreakerConfig breaker;

  /// Conditions that node-problem-detector and the like publish for broken accelerators.
  static std::vector<HealthCondition> Defaults();
};

template <typename Visitor>
void VisitFields(Visitor& visit, HealthConfig& config) {
  visit("conditions", config.conditions, "Which node conditions count, and how");
  visit("unknownStatus", config.unknown_status,
        "What a condition of status Unknown does: Exclude, Penalize or Ignore; never more than the "
        "condition's own effect");
  visit("staleAfter", config.stale_after,
        "A condition whose lastHeartbeatTime is older counts as Unknown, but True keeps its own "
        "effect where that is worse; 0s: never");
  visit("breaker", config.breaker, "What if a condition is on suspiciously many nodes");
}

/// Everything that is wrong with `config`.
std::vector<model::FieldError> Validate(const HealthConfig& config);

/// What `condition` does where it is Unknown.
Effect EffectOfUnknown(const HealthCondition& condition, const HealthConfig& config);

}  // namespace berth::policies::scheduling
