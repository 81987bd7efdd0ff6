#pragma once

#include <absl/status/status.h>
#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>

namespace berth::yaml {

/// Returns a deep copy of a document of ParseYaml(). Aliases become separate nodes, so that a
/// change at one place does not change the others.
YAML::Node CopyOf(const YAML::Node& node);

/// Returns the node at a JSON pointer (RFC 6901), or nullopt if there is none. The node is shared
/// with `root`. Throws std::exception if the pointer is malformed.
std::optional<YAML::Node> NodeAt(const YAML::Node& root, std::string_view pointer);

/// Applies a JSON Patch (RFC 6902) with the operations add, replace and remove to `root`, which
/// must come from CopyOf(). Everything else stays as it was written. Returns InvalidArgument if the
/// patch does not fit; a part of it may have been applied then.
///
///   YAML::Node pod = CopyOf(document);
///   const absl::Status applied = ApplyPatch(
///       R"([{"op": "add", "path": "/spec/restartPolicy", "value": "Never"}])", pod);
absl::Status ApplyPatch(std::string_view patch, YAML::Node root);

}  // namespace berth::yaml
