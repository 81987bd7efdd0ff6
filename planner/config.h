#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/config_field.h"
#include "model/namespaced_name.h"
#include "model/time.h"

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

/// What becomes of a gang whose preflight could not run to its end.
enum class WhenUnknown : std::uint8_t {
  /// It is released as if it had passed.
  kRelease,
  /// It rests as if it had failed, and is tried again.
  kRest,
};
std::span<const model::EnumName<WhenUnknown>> EnumNames(WhenUnknown);

/// What runs on the nodes of a gang before it is released: `planner.gangs.preflight`.
struct PreflightConfig {
  /// Empty: nothing runs.
  std::string image;
  /// Empty: what the image starts by itself.
  std::vector<std::string> command;
  /// At least 2.
  std::int32_t min_nodes = 2;
  std::string condition = "GPURuntimeError";
  /// 1 to 255.
  std::int32_t node_fault_code = 3;
  /// From a second to an hour.
  model::Duration timeout = std::chrono::minutes(5);
  WhenUnknown when_unknown = WhenUnknown::kRelease;
  /// 1 to 65535.
  std::int32_t port = 29500;
  /// 0 to 2147483647.
  std::int32_t run_as_user = 65534;

  bool enabled() const { return !image.empty(); }

  friend bool operator==(const PreflightConfig&, const PreflightConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, PreflightConfig& config) {
  visit("image", config.image, "Image of the preflight; empty: there is none");
  visit("command", config.command,
        "Command with its arguments, on each node of the gang. The environment has RANK, "
        "WORLD_SIZE, MASTER_ADDR and MASTER_PORT. Exit code 0: the node passed. Empty: what the "
        "image starts");
  visit(
      "minNodes", config.min_nodes,
      "Gangs that get at least this many nodes with accelerators have a preflight, unless their "
      "pods say berth.dev/gang-preflight: \"false\"; smaller ones on two nodes or more have it if "
      "they say \"true\". At least 2");
  visit("condition", config.condition,
        "Type of the node condition that tells of a failure. health has to know it, with "
        "staleAfter 0s");
  visit("nodeFaultCode", config.node_fault_code,
        "Exit code by which the command says that the fault is of its own node; other failures "
        "blame nodes only if these are half of all at most and the others passed. 1 to 255");
  visit("timeout", config.timeout,
        "How long a preflight may take, with pulling the image. What has not ended then tells "
        "nothing. 1s to 1h");
  visit("whenUnknown", config.when_unknown,
        "What becomes of a gang whose preflight told nothing: Release starts it all the same; Rest "
        "gives its nodes back and tries again later");
  visit("port", config.port, "MASTER_PORT: the port of the first pod at which the others meet it");
  visit("runAsUser", config.run_as_user,
        "User that the command runs as; 0 is root, which namespaces that enforce the restricted "
        "Pod Security Standard forbid");
}

/// How pods of a gang, which run all together or not at all, are planned: `planner.gangs`.
struct GangsConfig {
  /// Whether gangs are planned at all.
  bool enabled = false;
  /// How long a gang that was released may run without some of its pods, before all are evicted.
  model::Duration timeout{300};
  /// The share of a model's nodes that is kept for gangs that wait, at most.
  double max_share = 0.5;
  /// By how much pods that say how long they run may delay a gang for which nodes are kept.
  model::Duration backfill{3600};
  /// How long a gang that does not fit waits before it is released all the same. 0: for ever.
  model::Duration ungate_after{0};
  /// The Leases by which the kube-schedulers that are planned for elect a leader.
  std::vector<model::NamespacedName> scheduler_leases = {{"kube-system", "kube-scheduler"}};
  /// Whether pods are let go that wait for a PodGroup, by creating it.
  bool pod_groups = false;
  PreflightConfig preflight = {};

  friend bool operator==(const GangsConfig&, const GangsConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, GangsConfig& config) {
  visit("enabled", config.enabled,
        "Plan gangs: pods that wait behind the scheduling gate berth.dev/gang until nodes for all "
        "of them are reserved. If false, the controller takes these gates away");
  visit("timeout", config.timeout,
        "A gang that was released and still lacks some of its pods after this time is evicted, at "
        "least 30s");
  visit("maxShare", config.max_share,
        "Share of the nodes of one accelerator that are kept for gangs that wait, 0 to 1; 0: gangs "
        "wait until enough nodes happen to be free at once");
  visit("backfill", config.backfill,
        "Pods with the annotation berth.dev/max-runtime may use nodes that are kept for a gang, "
        "and delay it by at most this; 0s: never");
  visit("ungateAfter", config.ungate_after,
        "A gang that has not fitted for this long is released without nodes, so that an autoscaler "
        "sees its pods and starts nodes for them; 0s: never. A part of it may then run without the "
        "rest until planner.gangs.timeout has passed");
  visit("schedulerLeases", config.scheduler_leases,
        "Lease of each kube-scheduler of planner.schedulers, as namespace/name: nominations of "
        "gangs are written again when it changes hands, because a kube-scheduler up to 1.36 that "
        "starts does not know them; empty: they are not");
  visit("podGroups", config.pod_groups,
        "Create and delete the PodGroups (scheduling.k8s.io/v1beta1) of gangs whose pods wait for "
        "one: admission.policies.gangs.hold: PodGroup");
  visit("preflight", config.preflight,
        "A program that runs on all nodes of a gang together before it is released, such as an "
        "all-reduce; none by default");
}

/// Nodes that are near each other: those with the same value of a label.
struct TopologyLevel {
  std::string label;

  friend bool operator==(const TopologyLevel&, const TopologyLevel&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, TopologyLevel& level) {
  visit.Required("label", level.label,
                 "Label of nodes whose value names the rack, block or zone that the node is in");
}

/// Which waiting pods the planner finds nodes for: `planner`. A plain value.
struct PlannerConfig {
  /// By spec.schedulerName. Empty: no pods, so the planner is off.
  std::vector<std::string> schedulers = {"berth"};
  BacklogConfig backlog = {};
  GangsConfig gangs = {};
  /// From the narrowest level to the widest one.
  std::vector<TopologyLevel> topology = {};

  friend bool operator==(const PlannerConfig&, const PlannerConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, PlannerConfig& config) {
  visit("schedulers", config.schedulers,
        "The planner nominates nodes for pods with one of these as their spec.schedulerName. Each "
        "must be a kube-scheduler that calls Berth's extender; empty: the planner is off");
  visit("backlog", config.backlog, "Pods that kube-scheduler has not tried yet");
  visit("gangs", config.gangs, "Pods that run all together or not at all");
  visit("topology", config.topology,
        "Which nodes are near each other, from narrow to wide: the pods of a gang get nodes in the "
        "narrowest domain that holds all of them");
}

/// Whether gangs are planned. Where they are not, nobody but the controller takes their gates away.
inline bool PlansGangs(const PlannerConfig& config) {
  return config.gangs.enabled && !config.schedulers.empty();
}

/// Whether gangs have preflights.
inline bool RunsPreflights(const PlannerConfig& config) {
  return PlansGangs(config) && config.gangs.preflight.enabled();
}

/// Returns everything that is wrong with `config`; nothing if it can be used. The paths begin at
/// the top of the file ("planner.backlog.pods"), and each message says what to write instead.
std::vector<model::FieldError> Validate(const PlannerConfig& config);

}  // namespace berth::planner
