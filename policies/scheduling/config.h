#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "model/config_field.h"
#include "policies/scheduling/policies.h"

namespace berth::policies::scheduling {

/// The largest weight of a policy; enough to make one policy decide alone.
inline constexpr std::int32_t kMaxWeight = 100;

/// What comes of what a policy says.
enum class Mode : std::uint8_t {
  /// It counts.
  kEnforce,
  /// The answer is as if the policy were off, and what it would have refused is counted.
  kObserve,
};

std::span<const model::EnumName<Mode>> EnumNames(Mode);

/// What is configured of every policy: one block under scheduling.policies.
template <typename Policy>
struct PolicySettings {
  Mode mode = Mode::kEnforce;
  std::int32_t weight = Policy::kDefaultWeight;
  typename Policy::Config config;
};

template <typename Visitor, typename Policy>
void VisitFields(Visitor& visit, PolicySettings<Policy>& settings) {
  visit("mode", settings.mode,
        "Enforce, or Observe: answers are as if it were off, and what it would have refused is "
        "counted in berth_would_reject_total");
  visit("weight", settings.weight,
        "Of the policy's score in the sum, 0 to 100; 0: it only refuses");
}

/// The settings of all policies of a list, found by type.
template <typename List>
struct SettingsOf;
template <typename... Policies>
struct SettingsOf<PolicyList<Policies...>> {
  std::tuple<PolicySettings<Policies>...> all;
};

/// The block scheduling.policies.
using PoliciesConfig = SettingsOf<AllPolicies>;

template <typename Visitor, typename... Policies>
void VisitFields(Visitor& visit, SettingsOf<PolicyList<Policies...>>& settings) {
  (visit(Policies::kName, std::get<PolicySettings<Policies>>(settings.all), Policies::kHelp), ...);
}

/// Calls `visit` with the settings of every policy, in the order of the list.
template <typename... Policies, typename Visit>
void ForEachPolicy(const SettingsOf<PolicyList<Policies...>>& settings, Visit visit) {
  (visit(std::get<PolicySettings<Policies>>(settings.all)), ...);
}

/// The block scheduling.
struct SchedulingConfig {
  PoliciesConfig policies;
};

template <typename Visitor>
void VisitFields(Visitor& visit, SchedulingConfig& config) {
  visit("policies", config.policies, "One block per scheduling policy");
}

/// Visits the blocks that policies have at the top level of the configuration, such as `health`.
template <typename Visitor, typename... Policies>
void VisitPolicyBlocks(Visitor& visit, SettingsOf<PolicyList<Policies...>>& settings) {
  const auto visit_block = [&visit]<typename Policy>(PolicySettings<Policy>& policy) {
    if constexpr (!Policy::kConfigKey.empty()) {
      visit(Policy::kConfigKey, policy.config, Policy::kHelp);
    }
  };
  (visit_block(std::get<PolicySettings<Policies>>(settings.all)), ...);
}

/// Everything that is wrong with the settings of the policies; paths are from the top of the
/// configuration.
std::vector<model::FieldError> Validate(const SchedulingConfig& config);

}  // namespace berth::policies::scheduling
