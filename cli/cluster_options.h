#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>

#include "cli/command.h"
#include "cli/placement_client.h"
#include "cluster/snapshot.h"
#include "config/config.h"

namespace berth::cli {

/// Where a command for people takes the cluster and the rules from.
struct ClusterOptions {
  /// A file of API objects, instead of an API server.
  std::string objects_file;
  std::string kubeconfig;
  std::string context;
  /// Berth's configuration; empty: the default one.
  std::string config_file;
  /// Empty address: none. Otherwise all of it comes from there.
  PlacementEndpoint server;

  bool UsesServer() const { return !server.address.empty(); }
};

/// Those of them that other options exclude.
struct ClusterArguments {
  Argument objects;
  Argument server;
};

/// Adds --objects, --kubeconfig, --context, --config, --server, --cert, --key, --ca and
/// --tls-server-name, with which of them exclude each other.
ClusterArguments AddClusterOptions(Command command, ClusterOptions& options);

/// The file's configuration, or the default one. The error is all of its errors.
absl::StatusOr<config::BerthConfiguration> LoadConfig(const std::string& file);

/// Fills `snapshot` from the file of objects, or the API server. INVALID_ARGUMENT where a file is
/// to blame.
absl::Status LoadSnapshot(const ClusterOptions& options, cluster::Snapshot& snapshot);

}  // namespace berth::cli
