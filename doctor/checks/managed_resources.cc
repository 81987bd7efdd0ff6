#include <fmt/format.h>

#include <algorithm>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

constexpr const char* kAdvice = "write the managedResources that `berth stanza` prints";

// Whether some node lists the resource. True if nobody knows the nodes.
bool IsListed(const std::string& resource, const Facts& facts) {
  return !facts.nodes.ok() || std::ranges::any_of(*facts.nodes, [&](const model::Node& node) {
    return node.capacity.Has(resource) || node.allocatable.Has(resource);
  });
}

// The catalogue may have resources that no node of the cluster has; these may be missing.
Findings JudgeResources(const ExtenderEntry& entry, const model::AcceleratorCatalog& catalog,
                        const Facts& facts) {
  std::vector<std::string> missing;
  std::vector<std::string> ignored;
  std::vector<std::string> called;
  for (const std::string& resource : catalog.resources()) {
    const auto found = std::ranges::find(entry.managed_resources, resource, &ManagedResource::name);
    if (found == entry.managed_resources.end()) {
      if (IsListed(resource, facts)) missing.push_back(resource);
    } else if (found->ignored_by_scheduler) {
      ignored.push_back(resource);
    } else {
      called.push_back(resource);
    }
  }
  if (!missing.empty()) {
    return Problem(fmt::format("kube-scheduler does not call {} for pods with {}", entry.url_prefix,
                               Listed(missing)),
                   kAdvice);
  }
  if (!ignored.empty()) {
    return Problem(fmt::format("ignoredByScheduler is true for {}: nobody counts these devices, "
                               "and nodes get more pods than they have devices",
                               Listed(ignored)),
                   kAdvice);
  }
  return Ok(fmt::format("kube-scheduler calls Berth for {}", Listed(called)));
}

Findings CheckManagedResources(const Facts& facts, const Rules& rules) {
  return JudgeEntry(facts, rules, [&](const ExtenderEntry& entry) {
    if (!entry.managed_resources.empty()) return JudgeResources(entry, rules.catalog, facts);
    return Problem(fmt::format("kube-scheduler calls {} for every pod, including Berth's own, "
                               "which then waits for itself (kubernetes/kubernetes#91489)",
                               entry.url_prefix),
                   kAdvice);
  });
}

}  // namespace

Check ManagedResources() {
  return {
      .name = "managed-resources",
      .help = "kube-scheduler calls Berth for every resource of the catalogue that a node lists",
      .needs = {Source::kScheduler},
      .uses = {Source::kService, Source::kNodes},
      .run = CheckManagedResources};
}

}  // namespace berth::doctor::checks
