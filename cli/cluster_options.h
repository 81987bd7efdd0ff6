#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>

#include "cli/api_options.h"
#include "cli/command.h"
#include "cli/placement_client.h"
#include "cluster/snapshot.h"
#include "config/config.h"

namespace berth::cli {

/// The options by which `berth explain`, `berth capacity` and `berth who` find the cluster and the
/// configuration.
struct ClusterOptions {
  /// A file of API objects to read instead of an API server; "-" is standard input.
  std::string objects_file;
  /// The API server.
  ApiOptions api;
  /// Berth's configuration; empty for the defaults.
  std::string config_file;
  /// A running `berth extender` to ask. If its address is set, the other options do not count.
  PlacementEndpoint server;

  bool UsesServer() const { return !server.address.empty(); }
};

/// Handles of options that other options of the command exclude.
struct ClusterArguments {
  /// --objects and --server.
  Argument objects;
  Argument server;
};

/// Adds --objects, --kubeconfig, --context, --config, --server, --cert, --key, --ca and
/// --tls-server-name, and declares which of them exclude each other. `options` must live until the
/// command has run.
ClusterArguments AddClusterOptions(Command command, ClusterOptions& options);

/// Reads the configuration in `file`, or returns the defaults if that is empty. Returns
/// INVALID_ARGUMENT with a line for each error if the file is invalid.
absl::StatusOr<config::BerthConfiguration> LoadConfig(const std::string& file);

/// Fills `snapshot` from the file of objects or, without one, from the API server. Blocks until
/// everything is read. Returns INVALID_ARGUMENT if a file is to blame, and otherwise the error of
/// the request.
absl::Status LoadSnapshot(const ClusterOptions& options, cluster::Snapshot& snapshot);

}  // namespace berth::cli
