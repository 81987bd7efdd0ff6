#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "policies/scheduling/reason.h"

namespace berth::controller {

/// How many nodes kube-scheduler says were refused for a reason of Berth's.
struct Refusals {
  policies::scheduling::ReasonId reason = policies::scheduling::kNoReason;
  std::size_t nodes = 0;
};

/// What `message` counts of `reasons`, each of them once at most. kube-scheduler writes the message
/// into condition PodScheduled: "0/9 nodes are available: 3 node(s) had condition GPUIsLost, 6
/// Insufficient nvidia.com/gpu." (FitError.Error in pkg/scheduler/framework/types.go).
std::vector<Refusals> ReadRefusals(std::string_view message,
                                   const policies::scheduling::ReasonTable& reasons);

}  // namespace berth::controller
