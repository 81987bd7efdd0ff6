#include "cli/component_needs.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "controller/rights.h"
#include "extender/rights.h"

namespace berth::cli {

namespace {

std::vector<kube::Need> NeedsOf(const std::vector<kube::Grant>& grants,
                                const std::string& namespace_name) {
  std::vector<kube::Need> needs;
  for (const kube::Grant& grant : grants) {
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

doctor::NeedsByComponent NeedsOfProcesses(const config::BerthConfiguration& config,
                                          const std::string& namespace_name) {
  std::vector<kube::Need> extender = NeedsOf(extender::GrantsOf(config.extender.shortlist), "");
  if (!config.planner.schedulers.empty()) {
    std::ranges::move(
        NeedsOf(extender::LeaseGrantsOf(config.controller.lease.name), namespace_name),
        std::back_inserter(extender));
  }
  const controller::ControllerGrants grants =
      controller::GrantsOf(config.controller, config.planner);
  std::vector<kube::Need> controller = NeedsOf(grants.in_cluster, "");
  std::ranges::move(NeedsOf(grants.in_namespace, namespace_name), std::back_inserter(controller));
  for (const auto& [elsewhere, allowed] : grants.elsewhere) {
    std::ranges::move(NeedsOf(allowed, elsewhere), std::back_inserter(controller));
  }
  return {{"extender", std::move(extender)}, {"controller", std::move(controller)}};
}

}  // namespace berth::cli
