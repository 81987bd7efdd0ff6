#include "policies/scheduling/health_config.h"

#include <algorithm>
#include <utility>

namespace berth::policies::scheduling {

namespace {

using Errors = std::vector<model::FieldError>;

constexpr model::EnumName<Effect> kEffectNames[] = {
    {Effect::kExclude, "Exclude"}, {Effect::kPenalize, "Penalize"}, {Effect::kIgnore, "Ignore"}};

constexpr model::EnumName<BreakerAction> kBreakerActionNames[] = {
    {BreakerAction::kAlert, "Alert"}, {BreakerAction::kPenalize, "Penalize"}};

void ValidateCondition(const HealthCondition& condition, const std::string& path, Errors& errors) {
  if (condition.type.empty()) {
    errors.push_back({path + ".type", "must name a node condition, such as GPUIsLost"});
  }
  if (condition.effect == Effect::kIgnore) {
    errors.push_back({path + ".effect",
                      "must be Exclude or Penalize; remove the entry to ignore the condition"});
  }
  for (const auto& [name, duration] : {std::pair{".minDuration", condition.min_duration},
                                       std::pair{".recovery", condition.recovery}}) {
    if (duration.count() < 0) errors.push_back({path + name, "must not be negative"});
  }
  for (std::size_t i = 0; i < condition.resources.size(); ++i) {
    if (!condition.resources[i].empty()) continue;
    errors.push_back({path + ".resources[" + std::to_string(i) + "]",
                      "must be a resource name or pattern, such as rdma/*"});
  }
}

bool IsListedBefore(std::size_t index, const std::vector<HealthCondition>& conditions) {
  const auto end = conditions.begin() + static_cast<std::ptrdiff_t>(index);
  return std::any_of(conditions.begin(), end, [&](const HealthCondition& other) {
    return other.type == conditions[index].type && other.resources == conditions[index].resources;
  });
}

void ValidateBreaker(const BreakerConfig& breaker, Errors& errors) {
  // Written so that it also catches NaN.
  if (!(breaker.fraction > 0 && breaker.fraction <= 1)) {
    errors.push_back({"breaker.fraction",
                      "must be above 0 and at most 1; write 0.5 for half of an accelerator's "
                      "nodes, or 1 for a breaker that never trips"});
  }
  if (breaker.min_nodes < 1) {
    errors.push_back({"breaker.minNodes", "must be 1 or more, got " +
                                              std::to_string(breaker.min_nodes) +
                                              "; write fraction: 1 to disable the breaker"});
  }
}

}  // namespace

std::span<const model::EnumName<Effect>> EnumNames(Effect) { return kEffectNames; }

std::span<const model::EnumName<BreakerAction>> EnumNames(BreakerAction) {
  return kBreakerActionNames;
}

std::vector<HealthCondition> HealthConfig::Defaults() {
  constexpr model::Duration kTenMinutes{600};
  constexpr model::Duration kNone{0};
  return {{"GPUIsLost", Effect::kExclude, kNone, kTenMinutes, {}},
          {"GPURuntimeError", Effect::kExclude, kNone, kTenMinutes, {}},
          {"GPUPendingPage", Effect::kExclude, kNone, kNone, {}},
          {"DStateProcess", Effect::kExclude, kNone, kNone, {}},
          {"PCIeLinkDegraded", Effect::kPenalize, kNone, kNone, {}},
          {"NICLinkDown", Effect::kExclude, kNone, kNone, {"rdma/*"}},
          {"NICLinkDown", Effect::kPenalize, kNone, kNone, {}},
          {"NICLinkFlapping", Effect::kPenalize, kNone, kNone, {}}};
}

std::vector<model::FieldError> Validate(const HealthConfig& config) {
  Errors errors;
  for (std::size_t i = 0; i < config.conditions.size(); ++i) {
    const HealthCondition& condition = config.conditions[i];
    const std::string path = "conditions[" + std::to_string(i) + "]";
    ValidateCondition(condition, path, errors);
    if (!IsListedBefore(i, config.conditions)) continue;
    errors.push_back({path + ".type", "'" + condition.type +
                                          "' is already listed for the same resources; keep one "
                                          "entry or give them different resources"});
  }
  if (config.stale_after.count() < 0) {
    errors.push_back({"staleAfter", "must not be negative; 0s means never"});
  }
  ValidateBreaker(config.breaker, errors);
  return errors;
}

Effect EffectOfUnknown(const HealthCondition& condition, const HealthConfig& config) {
  return std::min(condition.effect, config.unknown_status);
}

}  // namespace berth::policies::scheduling
