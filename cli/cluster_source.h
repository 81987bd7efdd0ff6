#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "cluster/snapshot.h"
#include "kube/api_config.h"
#include "kube/transport.h"
#include "model/pod.h"

namespace berth::cli {

/// Fills a snapshot from a file that `kubectl get nodes,pods -A -o json` wrote, "-" being standard
/// input. Errors begin with the file's name; a file without nodes is one. An object that cannot be
/// read is none, here and below: it is in quarantine.
absl::Status LoadObjectsFile(const std::string& file, cluster::Snapshot& snapshot);

/// LoadObjectsFile() of a text.
absl::Status LoadObjects(std::string_view text, const std::string& file,
                         cluster::Snapshot& snapshot);

/// Fills a snapshot by listing nodes and bound pods once. Errors say what the API server answered;
/// a cluster without nodes is one.
absl::Status LoadCluster(kube::Transport& transport, cluster::Snapshot& snapshot);

/// Lists Services once into a snapshot; it knows of none where that fails.
absl::Status LoadServices(kube::Transport& transport, cluster::Snapshot& snapshot);

/// One pod of the cluster.
absl::StatusOr<model::Pod> GetPod(kube::Transport& transport, const std::string& namespace_name,
                                  const std::string& name);

}  // namespace berth::cli
