#pragma once

#include <string>

#include "placement/explanation.h"

namespace berth::cli {

/// One line for people: "96 fit; 12 GPUIsLost since 3h; 48 are MN-Core".
std::string SummaryOf(const placement::Explanation& explanation);

/// What `berth explain` prints: the summary, the hints, and a table with a line for every node.
/// `what` names the pod. If the pod is not Berth's business, this is one sentence that says so.
/// There is no table if the pod is refused everywhere.
std::string ExplanationText(const placement::Explanation& explanation, const std::string& what);

/// What `berth explain --node` prints: every policy's verdict on one node and every condition of
/// it.
std::string NodeText(const placement::NodeExplanation& node,
                     const placement::Explanation& explanation, const std::string& what);

}  // namespace berth::cli
