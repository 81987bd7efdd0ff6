#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "cli/terminal.h"
#include "config/config.h"
#include "kube/api_config.h"

namespace berth::cli {

/// The exit code of a command that Ctrl-C has ended, as shells have it: 128 and the signal.
inline constexpr int kExitInterrupted = 130;

/// What `berth explain --watch` follows.
struct WatchRequest {
  kube::ApiConfig api;
  std::string namespace_name;
  std::string pod;
  config::BerthConfiguration config;
  Terminal terminal = {};
};

/// Prints the present state of a pod to standard output, then each change with the time of day,
/// until the pod runs or has ended. Nodes and bound pods are watched, and the pod is read every
/// second, so there is at most one line a second about each subject. While the API server cannot be
/// reached, says so once and tries again.
///
/// Returns kExitOk if the pod runs or has succeeded, kExitNo if it has failed or is gone, and 128
/// and the signal's number after SIGINT or SIGTERM. Returns NotFound if there is no such pod, and
/// the error of the API server if it refuses at first. Blocks SIGINT and SIGTERM for the rest of
/// the process.
absl::StatusOr<int> WatchPod(const WatchRequest& request);

}  // namespace berth::cli
