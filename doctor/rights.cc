#include "doctor/rights.h"

#include <algorithm>
#include <map>
#include <vector>

#include "kube/rbac.h"

namespace berth::doctor {

namespace {

constexpr char kRole[] = "berth-doctor";

}  // namespace

std::string DoctorRolesYaml(const std::set<Source>& sources, const Place& place) {
  std::map<std::string, std::vector<kube::Grant>> by_namespace;
  for (const Source source : sources) {
    for (const kube::Need& need : NeedsOf(source, place)) {
      std::vector<kube::Grant>& grants = by_namespace[need.namespace_name];
      const bool known =
          std::ranges::find(grants, need.permission, &kube::Grant::permission) != grants.end();
      if (!known) kube::Allow({&need.permission, 1}, {}, grants);
    }
  }
  std::string yaml;
  for (const auto& [space, grants] : by_namespace) {
    if (!yaml.empty()) yaml += "---\n";
    yaml +=
        space.empty() ? kube::ClusterRoleYaml(kRole, grants) : kube::RoleYaml(kRole, space, grants);
  }
  return yaml;
}

}  // namespace berth::doctor
