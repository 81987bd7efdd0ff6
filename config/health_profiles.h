#pragma once

#include <string>

namespace berth::config {

/// Returns what each name in health.profiles stands for, as YAML with comments: a map from the name
/// to a list in the form of health.conditions. `berth config profiles` prints it.
std::string HealthProfilesYaml();

}  // namespace berth::config
