#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <utility>
#include <vector>

#include "kube/transport.h"

// What `berth untaint` does.

namespace berth::cli {

/// What became of each node that had the taint: its name, and the result of the write.
using Untainted = std::vector<std::pair<std::string, absl::Status>>;

/// Removes the taint `key` with the effect NoSchedule from every node that has it, and leaves all
/// other taints alone. A node that is gone by then counts as done. Blocks until all replies have
/// come. Returns the error of the list, if the nodes cannot be listed.
///
/// A controller that leads with `controller.taints` adds the taints again.
absl::StatusOr<Untainted> RemoveTaints(const std::string& key, kube::Transport& transport);

}  // namespace berth::cli
