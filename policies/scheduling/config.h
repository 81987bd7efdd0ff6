#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config_field.h"
#include "policies/policy_list.h"
#include "policies/scheduling/policies.h"

// The configuration of the scheduling policies, generated from the list in policies.h:
//
//   scheduling:
//     policies:
//       thrift: {mode: Enforce, weight: 2}   # one block for each policy
//   health:                                  # the fields of a policy, under its kConfigKey
//     unknownStatus: Penalize
//
// See model/config_field.h for VisitFields.

namespace berth::policies::scheduling {

/// The largest weight of a policy. It is large enough to let one policy decide alone.
inline constexpr std::int32_t kMaxWeight = 100;

/// What the engine does with a policy's verdicts.
enum class Mode : std::uint8_t {
  /// Refusals exclude the node and scores count.
  kEnforce,
  /// Answers are as if the policy were off. Its refusals are only counted.
  kObserve,
};

/// How the configuration spells the modes.
std::span<const model::EnumName<Mode>> EnumNames(Mode);

/// The settings of one policy: its block under scheduling.policies, and in `config` the block that
/// its kConfigKey names at the top level of the configuration.
template <typename Policy>
struct PolicySettings {
  static constexpr std::string_view kKey = Policy::kName;

  Mode mode = Mode::kEnforce;
  /// Factor of the policy's score in the sum, 0 to kMaxWeight. With 0 the policy can only refuse.
  std::int32_t weight = Policy::kDefaultWeight;
  /// The policy's own fields; NoConfig if it has none.
  typename Policy::Config config;

  friend bool operator==(const PolicySettings&, const PolicySettings&) = default;
};

template <typename Visitor, typename Policy>
void VisitFields(Visitor& visit, PolicySettings<Policy>& settings) {
  visit("mode", settings.mode,
        "Enforce, or Observe: the policy has no effect on answers, and berth_would_reject_total "
        "counts what it would have refused");
  visit("weight", settings.weight,
        "Weight of the policy's score in the sum, 0 to 100; 0: the policy only refuses nodes");
}

/// The block scheduling.policies.
using PoliciesConfig = SettingsOf<PolicySettings, AllPolicies>;

/// The block scheduling of the configuration.
struct SchedulingConfig {
  PoliciesConfig policies;

  friend bool operator==(const SchedulingConfig&, const SchedulingConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, SchedulingConfig& config) {
  visit("policies", config.policies, "One block per scheduling policy");
}

/// Visits the blocks that policies have at the top level of the configuration, such as `health`.
template <typename Visitor>
void VisitPolicyBlocks(Visitor& visit, PoliciesConfig& settings) {
  ForEachPolicy(settings, [&visit]<typename Policy>(PolicySettings<Policy>& policy) {
    if constexpr (!Policy::kConfigKey.empty()) {
      visit(Policy::kConfigKey, policy.config, Policy::kHelp);
    }
  });
}

/// Returns every error in the settings of the policies; empty if they are valid. Paths start at the
/// top of the configuration: "scheduling.policies.thrift.weight", "health.staleAfter".
std::vector<model::FieldError> Validate(const SchedulingConfig& config);

}  // namespace berth::policies::scheduling
