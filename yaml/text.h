#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace berth::yaml {

/// A document as YAML text, which ends with a line end. Scalars keep what was written, and whether
/// it was in quotes; comments and blank lines are lost. Aliases are written out, and JSON becomes
/// the YAML of people.
std::string YamlText(const YAML::Node& node);

}  // namespace berth::yaml
