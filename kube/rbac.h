#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/permission.h"

namespace berth::kube {

/// What a role allows.
struct Grant {
  Permission permission;
  /// For these objects alone, but for the verb create, which RBAC cannot tie to a name; none: for
  /// all.
  std::vector<std::string> names;
};

/// Adds all of `permissions`, for the same names.
void Allow(std::span<const Permission> permissions, const std::vector<std::string>& names,
           std::vector<Grant>& grants);

/// A ClusterRole, as YAML for kubectl apply.
std::string ClusterRoleYaml(std::string_view name, std::span<const Grant> grants);

/// A Role. An empty namespace is left to kubectl.
std::string RoleYaml(std::string_view name, std::string_view namespace_name,
                     std::span<const Grant> grants);

}  // namespace berth::kube
