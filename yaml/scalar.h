#pragma once

#include <yaml-cpp/yaml.h>

#include <string_view>

namespace berth::yaml {

/// The type of a YAML node by the core schema of YAML 1.2
/// (https://yaml.org/spec/1.2.2/#103-core-schema). A plain scalar is null, a boolean or a number if
/// it looks like one. A quoted scalar is always text.
enum class YamlType { kNull, kBool, kInteger, kFloat, kText, kList, kMap };

/// Returns the type of a node. A scalar with an explicit tag, such as !!int, counts as text.
YamlType TypeOf(const YAML::Node& node);

/// Returns the type of a scalar that is written without quotes:
///
///   TypeOfPlain("0x1F")  // kInteger
///   TypeOfPlain("1e3")   // kFloat
///   TypeOfPlain("~")     // kNull
///   TypeOfPlain("yes")   // kText; only YAML 1.1 has it as a boolean
YamlType TypeOfPlain(std::string_view text);

/// Returns words for messages: "a map", "text", "a number" and the like.
std::string_view Describe(YamlType type);

}  // namespace berth::yaml
