#pragma once

#include <absl/status/status.h>
#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>

namespace berth::yaml {

/// A copy of a document of ParseYaml() in which no two places are the same node, as aliases are:
/// what is changed in one of them stays as it is in the others.
YAML::Node CopyOf(const YAML::Node& node);

/// The node at a JSON pointer, if there is one.
std::optional<YAML::Node> NodeAt(const YAML::Node& root, std::string_view pointer);

/// Applies a JSON Patch (RFC 6902) of add, replace and remove to `root`, which CopyOf() has made.
/// What it does not touch stays as it was written. INVALID_ARGUMENT where it does not fit; then
/// part of it may have been done.
absl::Status ApplyPatch(std::string_view patch, YAML::Node root);

}  // namespace berth::yaml
