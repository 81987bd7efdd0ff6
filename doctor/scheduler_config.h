#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::doctor {

/// The recommended weight of Berth's entry. One rank of Berth then counts 10 x 31 = 310. That is
/// more than the 300 by which Fit, BalancedAllocation and ImageLocality, which Berth takes over,
/// can differ together.
inline constexpr std::int64_t kBerthWeight = 31;

/// One of managedResources.
struct ManagedResource {
  std::string name;
  /// If true, kube-scheduler does not count the resource itself.
  bool ignored_by_scheduler = false;

  friend bool operator==(const ManagedResource&, const ManagedResource&) = default;
};

/// One entry of `extenders`, k8s.io/kube-scheduler/config/v1/types.go (v0.36.3). Fields that are
/// absent are empty, 0 or false.
struct ExtenderEntry {
  /// "https://10.96.12.34:443"; the verbs are appended to it.
  std::string url_prefix;
  /// Empty verbs are not called.
  std::string filter_verb;
  std::string prioritize_verb;
  std::string preempt_verb;
  std::string bind_verb;
  /// Factor of the ranks that prioritize answers.
  std::int64_t weight = 0;
  /// Whether kube-scheduler uses TLS.
  bool enable_https = false;
  /// tlsConfig.insecure: whether any certificate is accepted.
  bool insecure = false;
  /// tlsConfig.caData, decoded to PEM.
  std::string ca_data;
  /// tlsConfig.caFile: a path on kube-scheduler's machine.
  std::string ca_file;
  /// Whether kube-scheduler shows a client certificate: tlsConfig has certData or certFile.
  bool shows_certificate = false;
  /// Whether requests name nodes instead of containing them.
  bool node_cache_capable = false;
  /// Whether kube-scheduler goes on without the extender if it does not answer.
  bool ignorable = false;
  /// kube-scheduler asks only about pods that request one of these; if empty, about all pods.
  std::vector<ManagedResource> managed_resources;

  friend bool operator==(const ExtenderEntry&, const ExtenderEntry&) = default;
};

/// Kube-scheduler's default for minCandidateNodesPercentage (v1/defaults.go in
/// k8s.io/kubernetes/pkg/scheduler/apis/config, v1.36.3).
inline constexpr std::int64_t kDefaultCandidatePercentage = 10;

/// Kube-scheduler's default for clientConnection.qps, of the same file.
inline constexpr double kDefaultQps = 50;

/// One of `profiles`.
struct SchedulerProfile {
  /// schedulerName.
  std::string name;
  /// percentageOfNodesToScore of the profile, which takes precedence over that of all profiles.
  std::optional<std::int64_t> percentage;
  /// minCandidateNodesPercentage in the args of DefaultPreemption.
  std::int64_t candidate_percentage = kDefaultCandidatePercentage;
  /// Whether PodTopologySpread spreads the pods of ReplicaSets, StatefulSets and Services that have
  /// no constraint. It does unless defaultingType is List and no default constraint is
  /// ScheduleAnyway.
  bool spreads_by_default = true;

  friend bool operator==(const SchedulerProfile&, const SchedulerProfile&) = default;
};

/// The parts of a KubeSchedulerConfiguration that matter to Berth:
///
///   clientConnection: {qps: 1000, burst: 2000}
///   percentageOfNodesToScore: 100
///   delayCacheUntilActive: true
///   profiles:
///   - schedulerName: default-scheduler
///     pluginConfig:
///     - name: DefaultPreemption
///       args: {minCandidateNodesPercentage: 100}
///   extenders:
///   - {urlPrefix: "https://10.96.12.34:443", filterVerb: filter, ...}
struct SchedulerConfig {
  /// Where it was read from, for messages: "ConfigMap berth-scheduler", a file's name.
  std::string source;
  /// Whether it belongs to the chart's own kube-scheduler, which mounts the extender's ca.crt.
  bool from_chart = false;
  /// percentageOfNodesToScore of all profiles; kube-scheduler treats 0 like an absent value.
  std::optional<std::int64_t> percentage;
  /// clientConnection.qps: requests a second, such as bindings. kube-scheduler takes 0 for its
  /// default; below 0 there is no limit.
  double qps = kDefaultQps;
  /// delayCacheUntilActive: whether a process reads no pods before it leads.
  bool delays_cache = false;
  /// Never empty: a configuration without profiles has one called "default-scheduler".
  std::vector<SchedulerProfile> profiles;
  /// In the order of the file.
  std::vector<ExtenderEntry> extenders;

  friend bool operator==(const SchedulerConfig&, const SchedulerConfig&) = default;
};

/// Reads a KubeSchedulerConfiguration in JSON. Returns INVALID_ARGUMENT, with a message that begins
/// with `source`, if the text is not one.
absl::StatusOr<SchedulerConfig> SchedulerConfigFromJson(std::string_view json, std::string source);

}  // namespace berth::doctor
