#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/policies/admission/sizes.h"

// Jobs and their podFailurePolicies in few words.
namespace berth::policies::admission {

inline model::FailureRule OnConditions(std::string action, std::vector<std::string> conditions) {
  return {.action = std::move(action),
          .exit_code_op = {},
          .exit_codes = {},
          .conditions = std::move(conditions),
          .written_at = {}};
}

inline model::FailureRule OnExitCodes(std::string action, std::string op,
                                      std::vector<std::int64_t> codes) {
  return {.action = std::move(action),
          .exit_code_op = std::move(op),
          .exit_codes = std::move(codes),
          .conditions = {},
          .written_at = {}};
}

inline model::FailureRule Disruption(std::string action) {
  return OnConditions(std::move(action), {"DisruptionTarget"});
}

/// "Ignore DisruptionTarget", "FailJob NotIn 255".
inline std::string ToText(const model::FailureRule& rule) {
  std::string text = rule.action;
  for (const std::string& condition : rule.conditions) text += " " + condition;
  if (!rule.exit_code_op.empty()) text += " " + rule.exit_code_op;
  for (const std::int64_t code : rule.exit_codes) text += " " + std::to_string(code);
  return text;
}

inline std::vector<std::string> RulesOf(const model::Workload& workload) {
  std::vector<std::string> rules;
  if (!workload.job->failure_rules) return rules;
  for (const model::FailureRule& rule : *workload.job->failure_rules) rules.push_back(ToText(rule));
  return rules;
}

/// A Job without memory limits.
inline model::Workload UnlimitedJob() { return MakeJob(CpuPod()); }

/// A Job that asks for accelerators and has limits.
inline model::Workload LimitedGpuJob() { return MakeJob(MakePod({Sized("a", "1", "1Gi", "1")})); }

inline model::Workload WithRules(model::Workload job, std::vector<model::FailureRule> rules) {
  for (std::size_t i = 0; i < rules.size(); ++i) rules[i].written_at = i;
  job.job->failure_rules = std::move(rules);
  job.job->pod_replacement_policy = "Failed";
  return job;
}

inline model::Workload WithBackoff(model::Workload job, std::int64_t limit) {
  job.job->backoff_limit = limit;
  return job;
}

/// As the API server completes a Job with such a limit.
inline model::Workload PerIndex(model::Workload job, std::int64_t limit) {
  job.job->backoff_limit_per_index = limit;
  return WithBackoff(std::move(job), 2147483647);
}

inline model::Workload Restarting(model::Workload job, std::string policy) {
  job.pod.restart_policy = std::move(policy);
  return job;
}

}  // namespace berth::policies::admission
