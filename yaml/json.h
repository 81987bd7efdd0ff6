#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace berth::yaml {

/// A document of ParseYaml() as JSON, as kubectl would send it: plain scalars by the core schema of
/// YAML 1.2, all others as text.
std::string JsonTextOf(const YAML::Node& node);

}  // namespace berth::yaml
