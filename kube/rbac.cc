#include "kube/rbac.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

namespace berth::kube {

namespace {

using ObjectNames = std::set<std::string>;
/// API group, resource, and names of the objects.
using Object = std::tuple<std::string_view, std::string_view, ObjectNames>;

// Names of objects are in quotes, for YAML would take one such as 2024 or null for no text. None
// has a character that must be escaped.
std::string Rules(std::span<const Grant> grants) {
  std::map<Object, std::set<std::string_view>> verbs;
  for (const Grant& grant : grants) {
    const auto& [group, resource, verb] = grant.permission;
    const ObjectNames names =
        verb == "create" ? ObjectNames() : ObjectNames(grant.names.begin(), grant.names.end());
    verbs[{group, resource, names}].insert(verb);
  }
  std::string rules = "rules:\n";
  for (const auto& [object, list] : verbs) {
    const auto& [group, resource, names] = object;
    rules += fmt::format("- apiGroups: [\"{}\"]\n  resources: [{}]\n", group, resource);
    if (!names.empty()) {
      rules += fmt::format("  resourceNames: [\"{}\"]\n", fmt::join(names, "\", \""));
    }
    rules += fmt::format("  verbs: [{}]\n", fmt::join(list, ", "));
  }
  return rules;
}

}  // namespace

void Allow(std::span<const Permission> permissions, const std::vector<std::string>& names,
           std::vector<Grant>& grants) {
  for (const Permission& permission : permissions) grants.push_back({permission, names});
}

std::string ClusterRoleYaml(std::string_view name, std::span<const Grant> grants) {
  return fmt::format(
      "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: {}\n{}",
      name, Rules(grants));
}

std::string RoleYaml(std::string_view name, std::string_view namespace_name,
                     std::span<const Grant> grants) {
  const std::string in =
      namespace_name.empty() ? "" : fmt::format("  namespace: \"{}\"\n", namespace_name);
  return fmt::format(
      "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: {}\n{}{}", name, in,
      Rules(grants));
}

}  // namespace berth::kube
