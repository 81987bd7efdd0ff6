#pragma once

#include <string>
#include <vector>

#include "controller/config.h"
#include "kube/rbac.h"

namespace berth::controller {

/// What the controller asks of the API server with that configuration.
struct ControllerGrants {
  std::vector<kube::Grant> in_cluster;
  /// In the namespace of its Lease.
  std::vector<kube::Grant> in_namespace;
};
ControllerGrants GrantsOf(const ControllerConfig& config);

/// The ClusterRole and the Role that a controller of that configuration needs, as YAML for kubectl
/// apply: nothing that it has no use for, and by name where there is one. An empty namespace is
/// left to kubectl.
std::string ControllerRolesYaml(const ControllerConfig& config, const std::string& namespace_name);

}  // namespace berth::controller
