#pragma once

#include <string>

#include "placement/explanation.h"

namespace berth::cli {

/// One line for people: "96 fit; 12 GPUIsLost since 3h; 48 are MN-Core".
std::string SummaryOf(const placement::Explanation& explanation);

/// What `berth explain` prints: the summary, the hints, and a table with a line for every node.
/// `what` names the pod. If the pod is not Berth's business, this is one sentence that says so.
/// There is no table if the pod is refused everywhere.
///
///   Pod train asks for 1 nvidia.com/gpu
///   7 fit; 2 GPUIsLost since 5m to 3h; 2 are MN-Core
///   - of the 7 that fit, 5 have 1 free nvidia.com/gpu
///
///   NODE  FITS  RANK  SCORE  ACCELERATOR  FREE/TOTAL  WHY
std::string ExplanationText(const placement::Explanation& explanation, const std::string& what);

/// What `berth explain --node` prints: the verdict on one node, its devices, every policy's verdict
/// and every condition. `node` is one of `explanation.nodes`.
std::string NodeText(const placement::NodeExplanation& node,
                     const placement::Explanation& explanation, const std::string& what);

}  // namespace berth::cli
