#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "cli/command.h"
#include "config/config.h"
#include "doctor/gather.h"
#include "doctor/scheduler_config.h"
#include "kube/json_api.h"
#include "kube/transport.h"

// What `berth doctor`, `berth stanza` and `berth certs` have in common: they read what the chart
// has installed in a cluster.

namespace berth::cli {

/// The options by which a command finds the cluster and the chart in it.
struct ChartOptions {
  /// Empty to look for one as kubectl does; see PersonAccess.
  std::string kubeconfig;
  std::string context;
  /// Berth's configuration; empty for the one in the chart's ConfigMap.
  std::string config_file;
  /// Where the chart is installed, and the name of its Helm release.
  std::string namespace_name = doctor::Place().namespace_name;
  std::string release = doctor::Place().release;
};

/// Adds --kubeconfig, --context, --config, -n/--namespace and --release. `options` must live until
/// the command has run.
void AddChartOptions(Command command, ChartOptions& options);

/// Returns a client of the API server, which connects with its first request. Returns
/// INVALID_ARGUMENT if the kubeconfig or another file is to blame.
absl::StatusOr<std::unique_ptr<kube::Transport>> Connect(const ChartOptions& options);

/// Reads Berth's configuration from the file or from ConfigMap <fullname>. Returns INVALID_ARGUMENT
/// with a line for each error if it is invalid. NOT_FOUND and other errors say what option to give
/// instead.
absl::StatusOr<config::BerthConfiguration> LoadChartConfig(const ChartOptions& options,
                                                           kube::Api& api);

/// Reads kube-scheduler's configuration, in YAML or JSON, from a file. Returns INVALID_ARGUMENT if
/// it cannot.
absl::StatusOr<doctor::SchedulerConfig> LoadSchedulerConfig(const std::string& file);

/// The same from ConfigMap <fullname>-scheduler, which the chart's own kube-scheduler uses. Errors
/// other than those of the text say what option to give instead.
absl::StatusOr<doctor::SchedulerConfig> LoadSchedulerConfig(const ChartOptions& options,
                                                            kube::Api& api);

}  // namespace berth::cli
