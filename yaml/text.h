#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace berth::yaml {

/// Returns a document as YAML text, which ends with a line end. Scalars keep their text and their
/// quotes. Comments and blank lines are lost, and aliases are written out. A document in JSON
/// becomes YAML in lines.
std::string YamlText(const YAML::Node& node);

}  // namespace berth::yaml
