#pragma once

#include <string>

#include "placement/explanation.h"

namespace berth::cli {

/// The explanation as JSON; the shape is described in docs/explain.md. `node` limits it to one node
/// and adds its conditions; null: all nodes.
std::string ExplanationJson(const placement::Explanation& explanation, const std::string& what,
                            const placement::NodeExplanation* node);

}  // namespace berth::cli
