#include "cli/rbac.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

namespace berth::cli {

namespace {

constexpr std::string_view kCreate = "create";

using Resource = std::pair<std::string_view, std::string_view>;  // API group and name

// `only`: the one object for which verbs other than create are granted; empty: all.
std::string Rules(std::span<const kube::Permission> permissions, std::string_view only) {
  std::map<std::pair<Resource, bool>, std::vector<std::string_view>> verbs;
  for (const kube::Permission& permission : permissions) {
    const bool named = !only.empty() && permission.verb != kCreate;
    verbs[{{permission.api_group, permission.resource}, named}].push_back(permission.verb);
  }
  std::string rules = "rules:\n";
  for (const auto& [key, list] : verbs) {
    const auto& [resource, named] = key;
    rules +=
        fmt::format("- apiGroups: [\"{}\"]\n  resources: [{}]\n", resource.first, resource.second);
    if (named) rules += fmt::format("  resourceNames: [{}]\n", only);
    rules += fmt::format("  verbs: [{}]\n", fmt::join(list, ", "));
  }
  return rules;
}

}  // namespace

std::string ClusterRoleYaml(std::string_view name, std::span<const kube::Permission> permissions) {
  return fmt::format(
      "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: {}\n{}",
      name, Rules(permissions, ""));
}

std::string LeaseRoleYaml(std::string_view name, std::string_view namespace_name,
                          std::string_view lease, std::span<const kube::Permission> permissions) {
  const std::string in =
      namespace_name.empty() ? "" : fmt::format("  namespace: {}\n", namespace_name);
  return fmt::format(
      "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: {}\n{}{}", name, in,
      Rules(permissions, lease));
}

}  // namespace berth::cli
