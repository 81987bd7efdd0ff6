#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/permission.h"

namespace berth::kube {

/// A permission in a role. A plain value; the permission refers to constants.
struct Grant {
  Permission permission;
  /// The objects that it is limited to; all if empty. The verb create is never limited, because
  /// RBAC cannot limit it by name.
  std::vector<std::string> names;
};

/// Appends all of `permissions` to `grants`, each limited to `names`:
///
///   std::vector<Grant> grants;
///   Allow(cluster::kFeedPermissions, {}, grants);
///   std::cout << ClusterRoleYaml("berth", grants);
void Allow(std::span<const Permission> permissions, const std::vector<std::string>& names,
           std::vector<Grant>& grants);

/// Returns a ClusterRole as YAML for kubectl apply. Permissions for the same resource and names
/// become one rule, and rules are sorted, so that equal grants give equal texts.
std::string ClusterRoleYaml(std::string_view name, std::span<const Grant> grants);

/// Returns a Role likewise. If `namespace_name` is empty, the YAML names no namespace, and kubectl
/// chooses.
std::string RoleYaml(std::string_view name, std::string_view namespace_name,
                     std::span<const Grant> grants);

}  // namespace berth::kube
