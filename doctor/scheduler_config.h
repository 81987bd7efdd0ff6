#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::doctor {

/// One rank step of Berth is 10 times the weight: 310 is more than Fit, BalancedAllocation and
/// ImageLocality, which Berth takes over, can differ by together (300).
inline constexpr std::int64_t kBerthWeight = 31;

struct ManagedResource {
  std::string name;
  bool ignored_by_scheduler = false;

  friend bool operator==(const ManagedResource&, const ManagedResource&) = default;
};

/// One entry of `extenders`, k8s.io/kube-scheduler/config/v1/types.go (v0.36.3).
struct ExtenderEntry {
  std::string url_prefix;
  std::string filter_verb;
  std::string prioritize_verb;
  std::string preempt_verb;
  std::string bind_verb;
  std::int64_t weight = 0;
  bool enable_https = false;
  /// tlsConfig.insecure.
  bool insecure = false;
  /// PEM, from tlsConfig.caData; empty where it is not given.
  std::string ca_data;
  /// A path on kube-scheduler's machine.
  std::string ca_file;
  /// Whether kube-scheduler shows a certificate of its own: tlsConfig.certData or certFile.
  bool shows_certificate = false;
  bool node_cache_capable = false;
  bool ignorable = false;
  std::vector<ManagedResource> managed_resources;

  friend bool operator==(const ExtenderEntry&, const ExtenderEntry&) = default;
};

/// kube-scheduler's own where DefaultPreemptionArgs say nothing (v1/defaults.go in
/// k8s.io/kubernetes/pkg/scheduler/apis/config, v1.36.3).
inline constexpr std::int64_t kDefaultCandidatePercentage = 10;

struct SchedulerProfile {
  std::string name;
  std::optional<std::int64_t> percentage;
  /// minCandidateNodesPercentage of DefaultPreemptionArgs.
  std::int64_t candidate_percentage = kDefaultCandidatePercentage;
  /// Whether PodTopologySpread spreads the pods of ReplicaSets, StatefulSets and Services that have
  /// no constraint: unless its defaultingType is List, without a constraint of ScheduleAnyway.
  bool spreads_by_default = true;

  friend bool operator==(const SchedulerProfile&, const SchedulerProfile&) = default;
};

/// What of a KubeSchedulerConfiguration matters to Berth.
struct SchedulerConfig {
  /// What it was read from, for sentences: "ConfigMap berth-scheduler", a file's name.
  std::string source;
  /// Whether it is that of the chart's own kube-scheduler, which has the extender's ca.crt mounted.
  bool from_chart = false;
  /// percentageOfNodesToScore; 0 is the same as none.
  std::optional<std::int64_t> percentage;
  /// One at least: where the configuration has none, "default-scheduler".
  std::vector<SchedulerProfile> profiles;
  /// In the order in which kube-scheduler asks them.
  std::vector<ExtenderEntry> extenders;

  friend bool operator==(const SchedulerConfig&, const SchedulerConfig&) = default;
};

/// Reads a KubeSchedulerConfiguration in JSON. INVALID_ARGUMENT, beginning with `source`, where it
/// is something else.
absl::StatusOr<SchedulerConfig> SchedulerConfigFromJson(std::string_view json, std::string source);

}  // namespace berth::doctor
