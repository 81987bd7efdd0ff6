#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policies/scheduling/health_config.h"

// What the names in health.profiles stand for, so that nobody has to look up what a detector
// writes.

namespace berth::policies::scheduling {

/// Which conditions one detector publishes, and what Berth does about each.
struct HealthProfileSpec {
  HealthProfile profile = HealthProfile::kPfn;
  /// Who publishes the conditions, in a few words.
  std::string_view detector;
  /// Where that was read, with versions.
  std::string_view source;
  /// What a reader has to know besides; may be empty.
  std::string_view note;
  std::vector<HealthCondition> conditions;
  /// Whether the detector publishes a condition only while it is bad, so that none means well.
  bool only_when_bad = false;
  /// Parts of the names of DaemonSets by which the detector is recognised before it publishes
  /// anything. Not that of node-problem-detector, which may publish anything.
  std::vector<std::string_view> daemon_sets = {};
  /// Prefixes of labels that nodes under the detector have.
  std::vector<std::string_view> labels = {};
};

/// Returns one profile for each name, in the order of the enum.
const std::vector<HealthProfileSpec>& HealthProfiles();

/// Returns the profile of that name.
const HealthProfileSpec& SpecOf(HealthProfile profile);

/// Returns the name in the configuration.
std::string_view NameOf(HealthProfile profile);

/// Returns the conditions of the profiles that `config` names, and its own. What a later profile
/// says about a type replaces all that earlier ones say about it, and what `config.conditions` says
/// replaces both. Entries with the effect Ignore do no more than that, and are left out. Everything
/// that judges nodes takes its entries from here.
std::vector<HealthCondition> AllConditions(const HealthConfig& config);

/// Returns the types of AllConditions(config) that a detector which works well publishes at any
/// time, on some node at least: all but those that are published only while they are bad.
std::set<std::string> ExpectedTypes(const HealthConfig& config);

}  // namespace berth::policies::scheduling
