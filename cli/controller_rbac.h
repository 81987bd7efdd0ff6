#pragma once

#include <string>

#include "cli/config.h"

namespace berth::cli {

/// The ClusterRole and the Role that a controller of that configuration needs, as YAML for kubectl
/// apply: nothing that it has no use for, and by name where there is one. An empty namespace is
/// left to kubectl.
std::string ControllerRolesYaml(const ControllerConfig& config, const std::string& namespace_name);

}  // namespace berth::cli
