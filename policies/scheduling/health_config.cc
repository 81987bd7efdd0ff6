#include "policies/scheduling/health_config.h"

#include <algorithm>
#include <utility>

namespace berth::policies::scheduling {

namespace {

using Errors = std::vector<model::FieldError>;

constexpr model::EnumName<Effect> kEffectNames[] = {
    {Effect::kExclude, "Exclude"}, {Effect::kPenalize, "Penalize"}, {Effect::kIgnore, "Ignore"}};

constexpr model::EnumName<BadStatus> kBadStatusNames[] = {{BadStatus::kTrue, "True"},
                                                          {BadStatus::kFalse, "False"}};

constexpr model::EnumName<BreakerAction> kBreakerActionNames[] = {
    {BreakerAction::kAlert, "Alert"}, {BreakerAction::kPenalize, "Penalize"}};

void ValidateCondition(const HealthCondition& condition, const std::string& path, Errors& errors) {
  if (condition.type.empty()) {
    errors.push_back({path + ".type", "must name a node condition, such as GPUIsLost"});
  }
  const bool is_narrow = !condition.resources.empty() || condition.max_runtime.count() > 0;
  if (condition.effect == Effect::kIgnore && is_narrow) {
    errors.push_back({path + ".effect",
                      "Ignore is for all pods; leave out resources and maxRuntime, or write "
                      "Penalize"});
  }
  for (const auto& [name, duration] : {std::pair{".minDuration", condition.min_duration},
                                       std::pair{".recovery", condition.recovery},
                                       std::pair{".maxRuntime", condition.max_runtime}}) {
    if (duration.count() < 0) errors.push_back({path + name, "must not be negative"});
  }
  if (condition.stale_after.value_or(model::Duration(0)).count() < 0) {
    errors.push_back({path + ".staleAfter", "must not be negative; 0s means never"});
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

// The first entry before `index` for the same type that has the opposite bad status; none: `index`.
std::size_t FindContradiction(std::size_t index, const std::vector<HealthCondition>& conditions) {
  for (std::size_t i = 0; i < index; ++i) {
    const bool same_type = conditions[i].type == conditions[index].type;
    if (same_type && conditions[i].bad_status != conditions[index].bad_status) return i;
  }
  return index;
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

std::span<const model::EnumName<BadStatus>> EnumNames(BadStatus) { return kBadStatusNames; }

std::span<const model::EnumName<BreakerAction>> EnumNames(BreakerAction) {
  return kBreakerActionNames;
}

std::vector<model::FieldError> Validate(const HealthConfig& config) {
  Errors errors;
  for (std::size_t i = 1; i < config.profiles.size(); ++i) {
    const auto earlier = config.profiles.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(config.profiles.begin(), earlier, config.profiles[i]) == earlier) continue;
    errors.push_back({"profiles[" + std::to_string(i) + "]", "is listed before; remove one"});
  }
  for (std::size_t i = 0; i < config.conditions.size(); ++i) {
    const HealthCondition& condition = config.conditions[i];
    const std::string path = "conditions[" + std::to_string(i) + "]";
    ValidateCondition(condition, path, errors);
    const std::size_t other = FindContradiction(i, config.conditions);
    if (other != i) {
      errors.push_back({path + ".badStatus", "conditions[" + std::to_string(other) +
                                                 "] has the other one for '" + condition.type +
                                                 "'; write the same in all entries of a type"});
    }
    if (!IsListedBefore(i, config.conditions)) continue;
    errors.push_back({path + ".type", "'" + condition.type +
                                          "' is already listed for the same resources; keep one "
                                          "entry or give them different resources"});
  }
  if (config.stale_after.count() < 0) {
    errors.push_back({"staleAfter", "must not be negative; 0s means never"});
  }
  if (config.keep_for.count() < 0) {
    errors.push_back({"keepFor", "must not be negative; 0s means not at all"});
  }
  ValidateBreaker(config.breaker, errors);
  return errors;
}

Effect EffectOfUnknown(const HealthCondition& condition, const HealthConfig& config) {
  return std::min(condition.effect, config.unknown_status);
}

model::ConditionStatus BadStatusOf(const HealthCondition& condition) {
  return condition.bad_status == BadStatus::kTrue ? model::ConditionStatus::kTrue
                                                  : model::ConditionStatus::kFalse;
}

model::Duration StaleAfter(const HealthCondition& condition, const HealthConfig& config) {
  return condition.stale_after.value_or(config.stale_after);
}

}  // namespace berth::policies::scheduling
