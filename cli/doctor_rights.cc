#include "cli/doctor_rights.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "cli/controller_rbac.h"
#include "cli/extender_rbac.h"
#include "cli/rbac.h"

namespace berth::cli {

namespace {

constexpr char kRole[] = "berth-doctor";

using doctor::Need;

std::vector<Need> NeedsOf(const std::vector<Grant>& grants, const std::string& namespace_name) {
  std::vector<Need> needs;
  for (const Grant& grant : grants) {
    const bool named = !grant.names.empty() && grant.permission.verb != "create";
    if (!named) needs.push_back({grant.permission, namespace_name});
    if (!named) continue;
    for (const std::string& name : grant.names) {
      needs.push_back({grant.permission, namespace_name, name});
    }
  }
  return needs;
}

}  // namespace

doctor::NeedsByComponent NeedsOfProcesses(const BerthConfiguration& config,
                                          const std::string& namespace_name) {
  const std::vector<Grant> extender = GrantsOf(config.extender);
  const ControllerGrants grants = GrantsOf(config.controller);
  std::vector<Need> controller = NeedsOf(grants.in_cluster, "");
  std::ranges::move(NeedsOf(grants.in_namespace, namespace_name), std::back_inserter(controller));
  return {{"extender", NeedsOf(extender, "")}, {"controller", std::move(controller)}};
}

std::string DoctorRolesYaml(const std::set<doctor::Source>& sources, const doctor::Place& place) {
  std::map<std::string, std::vector<Grant>> by_namespace;
  for (const doctor::Source source : sources) {
    for (const Need& need : doctor::NeedsOf(source, place)) {
      std::vector<Grant>& grants = by_namespace[need.namespace_name];
      const bool known =
          std::ranges::find(grants, need.permission, &Grant::permission) != grants.end();
      if (!known) Allow({&need.permission, 1}, {}, grants);
    }
  }
  std::string yaml;
  for (const auto& [space, grants] : by_namespace) {
    if (!yaml.empty()) yaml += "---\n";
    yaml += space.empty() ? ClusterRoleYaml(kRole, grants) : RoleYaml(kRole, space, grants);
  }
  return yaml;
}

}  // namespace berth::cli
