#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "cluster/snapshot.h"
#include "kube/api_config.h"
#include "kube/transport.h"
#include "model/pod.h"

// Fills a snapshot once, for commands. An object that cannot be read is no error: the snapshot
// keeps it in quarantine.

namespace berth::cli {

/// Reads the output of `kubectl get nodes,pods -A -o json` from a file; "-" is standard input.
/// Returns INVALID_ARGUMENT, in a message that begins with the file's name, if the file cannot be
/// read or has no nodes.
absl::Status LoadObjectsFile(const std::string& file, cluster::Snapshot& snapshot);

/// Same for a text that is already in memory.
absl::Status LoadObjects(std::string_view text, const std::string& file,
                         cluster::Snapshot& snapshot);

/// Lists nodes and bound pods once. Errors say what the API server answered. A cluster may have no
/// nodes, as one whose pools are scaled to none overnight.
absl::Status LoadCluster(kube::Transport& transport, cluster::Snapshot& snapshot);

/// Lists Services once. If that fails, the snapshot says that it does not know any Services.
absl::Status LoadServices(kube::Transport& transport, cluster::Snapshot& snapshot);

/// Reads one pod of the cluster. Returns NOT_FOUND, with advice, if it does not exist, and
/// DATA_LOSS if it cannot be read.
absl::StatusOr<model::Pod> GetPod(kube::Transport& transport, const std::string& namespace_name,
                                  const std::string& name);

}  // namespace berth::cli
