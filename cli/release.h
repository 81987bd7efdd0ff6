#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/transport.h"
#include "model/gang.h"
#include "model/namespaced_name.h"

// What `berth release` does.

namespace berth::cli {

/// Which pods are released.
struct ReleaseRequest {
  /// Not set: all gangs of all namespaces, and pods behind the gate of which nobody knows the gang.
  std::optional<model::NamespacedName> gang = {};
  /// Whether nothing is written.
  bool dry_run = false;
};

/// Reads "<namespace>/<gang>". Returns InvalidArgument, with what to write, if it is none.
absl::StatusOr<model::NamespacedName> ParseGang(const std::string& text);

/// What became of each pod behind the gate: its "<namespace>/<name>", and the result of the write,
/// or OK if nothing is written. A PodGroup for which pods wait is "PodGroup <namespace>/<name>".
using Released = std::vector<std::pair<std::string, absl::Status>>;

/// Takes the gate of gangs away from each of these pods that has it, and leaves their other gates
/// alone; and creates the PodGroups for which these pods wait, or has them let each pod go by
/// itself. A pod that is gone by then, and a PodGroup of somebody else, count as done. Blocks until
/// all replies have come. Returns the error of the list, if the pods cannot be listed, and
/// NotFound, with the gangs that wait in that namespace, if no pod belongs to the gang.
///
/// kube-scheduler then places each pod by itself. The pods and PodGroups are marked as let go by
/// hand, so that the planner does not evict what runs of a gang that lacks pods.
absl::StatusOr<Released> ReleaseGangs(const ReleaseRequest& request, const model::GangNames& names,
                                      kube::Transport& transport);

}  // namespace berth::cli
