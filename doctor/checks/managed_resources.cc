#include <fmt/format.h>

#include <algorithm>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

constexpr const char* kAdvice = "write the managedResources that `berth stanza` prints";

Findings JudgeResources(const ExtenderEntry& entry, const model::AcceleratorCatalog& catalog) {
  std::vector<std::string> missing;
  std::vector<std::string> ignored;
  for (const std::string& resource : catalog.resources()) {
    const auto found = std::ranges::find(entry.managed_resources, resource, &ManagedResource::name);
    if (found == entry.managed_resources.end()) {
      missing.push_back(resource);
    } else if (found->ignored_by_scheduler) {
      ignored.push_back(resource);
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
  return Ok(fmt::format("kube-scheduler calls Berth for {}", Listed(catalog.resources())));
}

Findings CheckManagedResources(const Facts& facts, const Rules& rules) {
  return JudgeEntry(facts, rules, [&rules](const ExtenderEntry& entry) {
    if (!entry.managed_resources.empty()) return JudgeResources(entry, rules.catalog);
    return Problem(fmt::format("kube-scheduler calls {} for every pod, including Berth's own, "
                               "which then waits for itself (kubernetes/kubernetes#91489)",
                               entry.url_prefix),
                   kAdvice);
  });
}

}  // namespace

Check ManagedResources() {
  return {.name = "managed-resources",
          .help = "kube-scheduler calls Berth for every resource of the catalogue",
          .needs = {Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckManagedResources};
}

}  // namespace berth::doctor::checks
