#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "doctor/checks/all.h"
#include "policies/scheduling/health.h"
#include "policies/scheduling/health_profiles.h"

namespace berth::doctor::checks {

namespace {

using policies::scheduling::HealthConfig;
using policies::scheduling::HealthProfileSpec;
using Types = std::set<std::string>;

const HealthConfig& HealthIn(const config::BerthConfiguration& config) {
  using Settings = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  return std::get<Settings>(config.scheduling.policies.all).config;
}

Types TypesOf(const std::vector<policies::scheduling::HealthCondition>& conditions) {
  Types types;
  for (const auto& condition : conditions) types.insert(condition.type);
  return types;
}

Types PublishedTypes(const std::vector<model::Node>& nodes) {
  Types types;
  for (const model::Node& node : nodes) {
    for (const model::Condition& condition : node.conditions) types.insert(condition.type);
  }
  return types;
}

Types Minus(Types types, const Types& others) {
  for (const std::string& other : others) types.erase(other);
  return types;
}

std::string ListedTypes(const Types& types) {
  return doctor::Listed(std::vector<std::string>(types.begin(), types.end()));
}

// A detector that the cluster has, by a profile that is not configured.
struct Detector {
  const HealthProfileSpec* spec = nullptr;
  // Its types that nodes publish and nothing configures.
  Types published;
  // The first label or DaemonSet that gives it away; empty if there is none.
  std::string trace;
};

std::string TraceOf(const HealthProfileSpec& spec, const Facts& facts) {
  if (facts.daemon_sets.ok()) {
    for (const DaemonSetFacts& set : *facts.daemon_sets) {
      for (const std::string_view part : spec.daemon_sets) {
        const bool runs_it = set.name.find(part) != std::string::npos;
        if (runs_it) return "the DaemonSet " + set.FullName();
      }
    }
  }
  for (const model::Node& node : *facts.nodes) {
    for (const auto& [label, value] : node.labels) {
      for (const std::string_view prefix : spec.labels) {
        if (label.starts_with(prefix)) return fmt::format("the label {} of {}", label, node.name);
      }
    }
  }
  return "";
}

std::vector<Detector> MissingDetectors(const Facts& facts, const HealthConfig& health,
                                       const Types& published) {
  Types configured = TypesOf(policies::scheduling::AllConditions(health));
  // What is to be ignored is known all the same.
  configured.merge(TypesOf(health.conditions));
  std::vector<Detector> missing;
  for (const HealthProfileSpec& spec : policies::scheduling::HealthProfiles()) {
    const Types lacking = Minus(TypesOf(spec.conditions), configured);
    if (lacking.empty()) continue;
    Detector detector{.spec = &spec, .published = {}, .trace = TraceOf(spec, facts)};
    std::ranges::set_intersection(lacking, published,
                                  std::inserter(detector.published, detector.published.end()));
    const bool is_there = !detector.published.empty() || !detector.trace.empty();
    if (is_there) missing.push_back(std::move(detector));
  }
  return missing;
}

// Whether `other` explains what is published better: it publishes all of that, and more is known
// of it, or it is a shorter list.
bool Explains(const Detector& other, const Detector& detector) {
  if (other.spec == detector.spec) return false;
  if (!std::ranges::includes(other.published, detector.published)) return false;
  if (!other.trace.empty() || other.published.size() > detector.published.size()) return true;
  return other.spec->conditions.size() < detector.spec->conditions.size();
}

// Profiles overlap: that of AKS has what every node-problem-detector publishes.
bool IsPartOfAnother(const Detector& detector, const std::vector<Detector>& detectors) {
  return detector.trace.empty() && std::ranges::any_of(detectors, [&](const Detector& other) {
           return Explains(other, detector);
         });
}

std::string ProfilesWith(const HealthConfig& health, const HealthProfileSpec& spec) {
  std::string names;
  for (const auto profile : health.profiles) {
    names += std::string(policies::scheduling::NameOf(profile)) + ", ";
  }
  return names + std::string(policies::scheduling::NameOf(spec.profile));
}

Findings NameDetectors(const std::vector<Detector>& detectors, const HealthConfig& health) {
  Findings findings;
  for (const Detector& detector : detectors) {
    if (IsPartOfAnother(detector, detectors)) continue;
    const std::string sign = detector.published.empty()
                                 ? detector.trace
                                 : "nodes that publish " + ListedTypes(detector.published);
    Append(Note(fmt::format("the cluster seems to have {}, by {}; health.profiles lacks {}",
                            detector.spec->detector, sign,
                            policies::scheduling::NameOf(detector.spec->profile)),
                fmt::format("set health.profiles: [{}]; `berth config profiles` shows which nodes "
                            "that would exclude",
                            ProfilesWith(health, *detector.spec))),
           findings);
  }
  return findings;
}

Findings NameSilentTypes(const Types& expected, const Types& published) {
  if (expected.empty()) return Ok("no condition is expected on nodes that are well");
  const Types silent = Minus(expected, published);
  if (silent.empty()) {
    return Ok(fmt::format("all {} are published", Counted(expected.size(), "condition")));
  }
  // Detectors differ between clusters, and the default configuration knows several. So a few
  // unpublished conditions are normal. Only if none is published will Berth never find a broken
  // node.
  if (silent.size() < expected.size()) {
    return Note(fmt::format("no node publishes {}", ListedTypes(silent)),
                "install a detector for them, or remove them from health.conditions or their "
                "profile from health.profiles; is one misspelt?");
  }
  return Warning(
      fmt::format("no node publishes any condition that is configured ({}), so broken nodes are "
                  "not excluded",
                  ListedTypes(silent)),
      "install a detector, such as node-problem-detector with monitors for accelerators, name the "
      "one that you have in health.profiles, or list the types that it publishes under "
      "health.conditions");
}

Findings CheckConditions(const Facts& facts, const Rules& rules) {
  const HealthConfig& health = HealthIn(rules.config);
  const Types published = PublishedTypes(*facts.nodes);
  Findings findings = NameSilentTypes(policies::scheduling::ExpectedTypes(health), published);
  Append(NameDetectors(MissingDetectors(facts, health, published), health), findings);
  return findings;
}

}  // namespace

Check Conditions() {
  return {.name = "conditions",
          .help =
              "the conditions that the configuration names are published, and those of the "
              "cluster's detectors are configured",
          .needs = {Source::kNodes},
          .uses = {Source::kDaemonSets},
          .run = CheckConditions};
}

}  // namespace berth::doctor::checks
