#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/config.h"
#include "kube/rbac.h"
#include "planner/config.h"

namespace berth::controller {

/// The rights that the controller needs at the API server.
struct ControllerGrants {
  /// For a ClusterRole.
  std::vector<kube::Grant> in_cluster;
  /// For a Role in the namespace of the Lease.
  std::vector<kube::Grant> in_namespace;
  /// For Roles in the namespaces of kube-schedulers' Leases, by namespace.
  std::map<std::string, std::vector<kube::Grant>> elsewhere = {};
};
/// Returns the rights that a controller of that configuration needs, and none besides. Where it
/// uses objects by name, the right is for these names only.
ControllerGrants GrantsOf(const ControllerConfig& config, const planner::PlannerConfig& planner);

/// Returns the same as YAML for kubectl apply: a ClusterRole and a Role. If `namespace_name` is
/// empty, the Role names no namespace and kubectl chooses it. If the controller reads Leases of
/// kube-schedulers, further Roles follow, with a name of their own: a Lease may be in the same
/// namespace.
std::string ControllerRolesYaml(const ControllerConfig& config,
                                const planner::PlannerConfig& planner,
                                const std::string& namespace_name);

}  // namespace berth::controller
