#pragma once

#include <yaml-cpp/yaml.h>

#include <string_view>

namespace berth::yaml {

/// What a YAML node is by the core schema of YAML 1.2
/// (https://yaml.org/spec/1.2.2/#103-core-schema): plain scalars are null, booleans or numbers
/// where they look like it, quoted ones are always text.
enum class YamlType { kNull, kBool, kInteger, kFloat, kText, kList, kMap };

YamlType TypeOf(const YAML::Node& node);

/// What a scalar is when it is written without quotes.
YamlType TypeOfPlain(std::string_view text);

/// For messages: "a map", "text", "a number", ...
std::string_view Describe(YamlType type);

}  // namespace berth::yaml
