#pragma once

#include <vector>

#include "cli/config.h"
#include "cli/rbac.h"

namespace berth::cli {

/// What the extender asks of the API server with that configuration, in the whole cluster.
std::vector<Grant> GrantsOf(const ExtenderConfig& config);

}  // namespace berth::cli
