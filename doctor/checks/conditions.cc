#include <fmt/format.h>

#include <set>

#include "doctor/checks/all.h"
#include "policies/scheduling/health.h"

namespace berth::doctor::checks {

namespace {

std::set<std::string> ConfiguredTypes(const config::BerthConfiguration& config) {
  using Settings = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  std::set<std::string> types;
  for (const auto& condition :
       std::get<Settings>(config.scheduling.policies.all).config.conditions) {
    types.insert(condition.type);
  }
  return types;
}

Findings CheckConditions(const Facts& facts, const Rules& rules) {
  std::set<std::string> silent = ConfiguredTypes(rules.config);
  const std::size_t configured = silent.size();
  for (const model::Node& node : *facts.nodes) {
    for (const model::Condition& condition : node.conditions) silent.erase(condition.type);
  }
  if (silent.empty())
    return Ok(fmt::format("all {} are published", Counted(configured, "condition")));
  const std::vector<std::string> names(silent.begin(), silent.end());
  // Detectors differ between clusters, and the default configuration knows several. So a few
  // unpublished conditions are normal. Only if none is published will Berth never find a broken
  // node.
  if (names.size() < configured) {
    return Note(
        fmt::format("no node publishes {}", Listed(names)),
        "install a detector for them, or remove them from health.conditions; is one misspelt?");
  }
  return Warning(
      fmt::format("no node publishes any condition that is configured ({}), so broken nodes are "
                  "not excluded",
                  Listed(names)),
      "install a detector, such as node-problem-detector with monitors for accelerators, or list "
      "the types that your detector publishes under health.conditions");
}

}  // namespace

Check Conditions() {
  return {.name = "conditions",
          .help = "the conditions that the configuration names are published",
          .needs = {Source::kNodes},
          .uses = {},
          .run = CheckConditions};
}

}  // namespace berth::doctor::checks
