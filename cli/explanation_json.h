#pragma once

#include <string>

#include "extender/explanation.h"

namespace berth::cli {

/// The explanation as JSON; the shape is described in docs/explain.md. `node` limits it to one node
/// and adds its conditions; null: all nodes.
std::string ExplanationJson(const extender::Explanation& explanation, const std::string& what,
                            const extender::NodeExplanation* node);

}  // namespace berth::cli
