#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace berth::yaml {

/// Returns a document of ParseYaml() as JSON, as kubectl would send it. Plain scalars have the
/// types of YAML 1.2's core schema, and all others are text. Numbers that JSON or 64 bits cannot
/// represent are text, too. Keys keep their order.
///
///   {a: 1, b: "1", c: yes}  becomes  {"a":1,"b":"1","c":"yes"}
std::string JsonTextOf(const YAML::Node& node);

}  // namespace berth::yaml
