#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "cli/command.h"
#include "config/config.h"
#include "doctor/gather.h"
#include "doctor/scheduler_config.h"
#include "kube/json_api.h"
#include "kube/transport.h"

// What `berth doctor`, `berth stanza` and `berth certs` have in common: they look at what the chart
// has installed.

namespace berth::cli {

/// Where a command finds the cluster and the chart in it.
struct ChartOptions {
  std::string kubeconfig;
  std::string context;
  /// Berth's configuration; empty: that of the chart's ConfigMap.
  std::string config_file;
  std::string namespace_name = doctor::Place().namespace_name;
  std::string release = doctor::Place().release;
};

/// Adds --kubeconfig, --context, --config, -n/--namespace and --release.
void AddChartOptions(Command command, ChartOptions& options);

/// A connection to the API server. INVALID_ARGUMENT where files are to blame.
absl::StatusOr<std::unique_ptr<kube::Transport>> Connect(const ChartOptions& options);

/// The configuration of the file, or of ConfigMap <fullname>. INVALID_ARGUMENT: it is wrong, by
/// line; NOT_FOUND and others say what to give instead.
absl::StatusOr<config::BerthConfiguration> LoadChartConfig(const ChartOptions& options,
                                                           kube::Api& api);

/// kube-scheduler's configuration in YAML or JSON, from a file.
absl::StatusOr<doctor::SchedulerConfig> LoadSchedulerConfig(const std::string& file);

/// The same from ConfigMap <fullname>-scheduler, that of the chart's own kube-scheduler.
absl::StatusOr<doctor::SchedulerConfig> LoadSchedulerConfig(const ChartOptions& options,
                                                            kube::Api& api);

}  // namespace berth::cli
