#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "policies/scheduling/reason.h"

namespace berth::controller {

/// How many nodes kube-scheduler reports as refused for one of Berth's reasons. A plain value.
struct Refusals {
  /// Never kNoReason in a result of ReadRefusals().
  policies::scheduling::ReasonId reason = policies::scheduling::kNoReason;
  /// As kube-scheduler counts them; at least 1.
  std::size_t nodes = 0;
};

/// Reads how often `message` counts each of `reasons`. Returns those that it counts, each once, in
/// the order of the table; it ignores everything else. kube-scheduler writes the message into the
/// condition PodScheduled: "0/9 nodes are available: 3 node(s) had condition GPUIsLost, 6
/// Insufficient nvidia.com/gpu." (FitError.Error in pkg/scheduler/framework/types.go). From this
/// message the result is one item: the reason of that condition, with 3 nodes.
std::vector<Refusals> ReadRefusals(std::string_view message,
                                   const policies::scheduling::ReasonTable& reasons);

}  // namespace berth::controller
