#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kube/permission.h"

namespace berth::cli {

/// A ClusterRole, as YAML for kubectl apply.
std::string ClusterRoleYaml(std::string_view name, std::span<const kube::Permission> permissions);

/// A Role for one Lease: `permissions` are held for that name alone, but for the verb create, which
/// RBAC cannot tie to a name. An empty namespace is left to kubectl.
std::string LeaseRoleYaml(std::string_view name, std::string_view namespace_name,
                          std::string_view lease, std::span<const kube::Permission> permissions);

}  // namespace berth::cli
