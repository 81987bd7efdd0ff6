#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/config_field.h"

namespace berth::planner {

/// Whether pods are planned that kube-scheduler has not tried yet: `planner.backlog`.
struct BacklogConfig {
  /// Off by default: a nomination costs the API server more than it saves kube-scheduler, and a
  /// large cluster is packed as well without (docs/benchmarks/README.md).
  bool enabled = false;
  /// How many such pods wait before the next one is planned. kube-scheduler takes the first ones
  /// before a plan would reach it. 0: all are planned.
  std::int32_t pods = 20;

  friend bool operator==(const BacklogConfig&, const BacklogConfig&) = default;
};

/// Calls `visit` for each field, with its name in the file and the text that documents it; see
/// model/config_field.h.
template <typename Visitor>
void VisitFields(Visitor& visit, BacklogConfig& config) {
  visit("enabled", config.enabled,
        "Whether nodes are also nominated for pods that kube-scheduler has not tried yet, not only "
        "for those that it has refused");
  visit("pods", config.pods,
        "Number of pods that wait ahead of the first one that is planned, 0 to 10000: "
        "kube-scheduler takes these before a plan would reach it; 0: all are planned");
}

/// Which waiting pods the planner finds nodes for: `planner`. A plain value.
struct PlannerConfig {
  /// By spec.schedulerName. Empty: no pods, so the planner is off.
  std::vector<std::string> schedulers = {"berth"};
  BacklogConfig backlog;

  friend bool operator==(const PlannerConfig&, const PlannerConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, PlannerConfig& config) {
  visit("schedulers", config.schedulers,
        "The planner nominates nodes for pods with one of these as their spec.schedulerName. Each "
        "must be a kube-scheduler that calls Berth's extender; empty: the planner is off");
  visit("backlog", config.backlog, "Pods that kube-scheduler has not tried yet");
}

/// Returns everything that is wrong with `config`; nothing if it can be used. The paths begin at
/// the top of the file ("planner.backlog.pods"), and each message says what to write instead.
std::vector<model::FieldError> Validate(const PlannerConfig& config);

}  // namespace berth::planner
