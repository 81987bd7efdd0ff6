#include "policies/admission/failure_rules.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace berth::policies::admission {

using model::FailureRule;

namespace {

constexpr std::string_view kIgnore = "Ignore";
constexpr std::string_view kCount = "Count";
constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
// The exit code that containerd reports for containers that were running when their node went down.
constexpr std::int64_t kLost = 255;
// Not looked at in a failed pod, but a list of exit codes must not be empty.
constexpr std::int64_t kSuccess = 0;

// Conditions that Kubernetes gives to all kinds of pods: PodConditionType in
// k8s.io/api/core/v1/types.go (v0.36.3), without DisruptionTarget.
constexpr std::array<std::string_view, 8> kOfEveryPod = {
    "PodScheduled", "PodReadyToStartContainers", "Initialized",         "ContainersReady",
    "Ready",        "PodResizePending",          "PodResizeInProgress", "AllContainersRestarting"};

// Ignores the status: in a failed pod some of these conditions are True and the others False.
bool IsOfEveryPod(std::string_view condition) {
  const std::string_view type = condition.substr(0, condition.find('='));
  return std::ranges::find(kOfEveryPod, type) != kOfEveryPod.end();
}

bool IsAboutDisruption(const FailureRule& rule) {
  return std::ranges::find(rule.conditions, kDisruptionTarget) != rule.conditions.end();
}

bool MayIgnore(const FailureRule& rule, const FailureStance& stance) {
  return stance.limited && rule.exit_code_op.empty() &&
         (stance.ignores || !IsAboutDisruption(rule)) &&
         std::ranges::none_of(rule.conditions, IsOfEveryPod);
}

bool MayCount(const FailureRule& rule, const FailureStance& stance) {
  if (stance.retries == 0) return true;
  if (rule.exit_code_op.empty()) return std::ranges::none_of(rule.conditions, IsOfEveryPod);
  return stance.retries_lost && rule.exit_code_op == "In" && rule.exit_codes == std::vector{kLost};
}

FailureRule OnDisruption(std::string_view action) {
  return {.action = std::string(action),
          .exit_code_op = {},
          .exit_codes = {},
          .conditions = {std::string(kDisruptionTarget)},
          .written_at = {}};
}

}  // namespace

std::string_view RightAction(const FailureRule& rule, const FailureStance& stance) {
  const bool ignores = rule.action == kIgnore;
  if (!ignores && rule.action != kCount) return rule.action;
  if (ignores && MayIgnore(rule, stance)) return kIgnore;
  return MayCount(rule, stance) ? kCount : stance.fail();
}

bool DecidesOnDisruption(const FailureRule& rule, const FailureStance& stance) {
  const std::string_view right = RightAction(rule, stance);
  return IsAboutDisruption(rule) && (right == rule.action || (right == kCount && !stance.ignores));
}

bool RetriesWithoutEnd(const FailureRule& rule, const FailureStance& stance) {
  return rule.action == kIgnore && IsAboutDisruption(rule) && RightAction(rule, stance) == kCount;
}

FailureRule IgnoreDisruption() { return OnDisruption(kIgnore); }

FailureRule CountDisruption() { return OnDisruption(kCount); }

FailureRule FailOnExitCode(const FailureStance& stance) {
  return {.action = std::string(stance.fail()),
          .exit_code_op = "NotIn",
          .exit_codes = {stance.retries_lost ? kLost : kSuccess},
          .conditions = {},
          .written_at = {}};
}

bool IsFailOnExitCode(const FailureRule& rule, const FailureStance& stance) {
  const bool fails = rule.action == stance.fail() || rule.action == "FailJob";
  return fails && rule.container.empty() && rule.exit_code_op == "NotIn" &&
         std::ranges::all_of(rule.exit_codes, [&stance](std::int64_t code) {
           return code == kSuccess || (code == kLost && stance.retries_lost);
         });
}

}  // namespace berth::policies::admission
