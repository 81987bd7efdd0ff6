#pragma once

#include <string>

#include "placement/explanation.h"

namespace berth::cli {

/// The explanation as JSON; docs/explain.md describes the format. `what` names the pod. If `node`
/// is not null, the output has only that node, with its conditions.
std::string ExplanationJson(const placement::Explanation& explanation, const std::string& what,
                            const placement::NodeExplanation* node);

}  // namespace berth::cli
