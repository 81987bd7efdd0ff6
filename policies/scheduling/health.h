#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config_field.h"
#include "model/time.h"
#include "policies/scheduling/policy.h"

namespace berth::scheduling {

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
  visit("recovery", condition.recovery, "How long it still penalises after it turned False");
  visit("resources", condition.resources,
        "Only for pods that ask for a resource of these shell patterns; none: for all");
}

struct HealthConfig {
  std::vector<HealthCondition> conditions = Defaults();
  Effect unknown_status = Effect::kPenalize;
  model::Duration stale_after{0};

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
        "A condition whose lastHeartbeatTime is older counts as Unknown; 0s: never");
}

/// Everything that is wrong with `config`.
std::vector<model::FieldError> Validate(const HealthConfig& config);

/// How many nodes one entry of health.conditions has an effect on.
struct ConditionCount {
  const HealthCondition* condition = nullptr;
  std::size_t excluded = 0;
  std::size_t penalized = 0;
};

/// Counts the nodes of `view` for every entry of `config`, in its order, for pods that the entry
/// holds for. The result points into `config`.
std::vector<ConditionCount> CountNodesByCondition(const HealthConfig& config,
                                                  const model::ClusterView& view, model::Time now);

/// Refuses or penalises nodes by their conditions, and penalises nodes that have lost devices. The
/// node's own Ready and pressure conditions are kube-scheduler's business.
class HealthPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "health";
  static constexpr std::int32_t kDefaultWeight = 4;
  static constexpr std::string_view kConfigKey = "health";
  static constexpr std::string_view kHelp = "Node conditions that exclude or penalise a node";
  using Config = HealthConfig;

  HealthPolicy(const PolicyContext& context, const HealthConfig& config);

  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

  /// A condition of the config with the reasons for its effect.
  struct Rule {
    HealthCondition condition;
    ReasonId unhealthy = kNoReason;
    ReasonId unknown = kNoReason;
    ReasonId recovering = kNoReason;
  };

  /// What every evaluator reads. Immutable.
  struct Rules {
    std::vector<Rule> all;
    Effect unknown_status;
    model::Duration stale_after;
    model::Duration longest_recovery{0};
    ReasonId devices_lost;
  };

 private:
  const model::AcceleratorCatalog& catalog_;
  std::shared_ptr<const Rules> rules_;
};

}  // namespace berth::scheduling
