#pragma once

#include <string>

#include "cli/explanation.h"

namespace berth::cli {

/// The explanation as JSON; the shape is described in docs/explain.md. `node` limits it to one node
/// and adds its conditions; null: all nodes.
std::string ExplanationJson(const Explanation& explanation, const std::string& what,
                            const NodeExplanation* node);

}  // namespace berth::cli
