#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/source_error.h"

namespace berth::yaml {

/// Bytes of a YAML text.
inline constexpr std::size_t kMaxYamlBytes = 1024 * 1024;
/// Levels of maps and lists within each other.
inline constexpr int kMaxYamlDepth = 64;
/// Values in one document, with every alias counted as what it stands for: aliases of aliases grow
/// without bound.
inline constexpr std::size_t kMaxYamlValues = 200'000;

/// The documents of a YAML text that are safe to walk, aliases included: they keep the limits
/// above, and every map has text keys, each once. Documents without content are left out.
struct YamlDocuments {
  std::vector<YAML::Node> documents;
  /// Not empty: nothing of `documents` is to be used.
  std::vector<SourceError> errors;
};

/// Reads YAML; `file` names it in the errors.
YamlDocuments ParseYaml(std::string_view text, const std::string& file);

/// Where a node begins, counted from 1; 0 where nobody knows.
int LineOf(const YAML::Node& node);

}  // namespace berth::yaml
