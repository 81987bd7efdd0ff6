#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/source_error.h"

namespace berth::yaml {

/// The most bytes of a YAML text.
inline constexpr std::size_t kMaxYamlBytes = 1024 * 1024;
/// The most levels of maps and lists within each other.
inline constexpr int kMaxYamlDepth = 64;
/// The most values in one text. Every alias counts as all the values that it stands for, because
/// aliases of aliases grow exponentially.
inline constexpr std::size_t kMaxYamlValues = 200'000;
/// The most bytes that keys and scalars of one text have. Every alias counts here, too, so that
/// many aliases of one long text do not take gigabytes once they are written out. A text without
/// aliases that keeps kMaxYamlBytes never has as many.
inline constexpr std::size_t kMaxYamlContent = 4 * kMaxYamlBytes;

/// The documents of a YAML text. They are safe to walk, including aliases: they keep the limits
/// above, every key of a map is text, and no map has a key twice. Documents without content are
/// left out.
struct YamlDocuments {
  /// In the order of the text. Not to be used if there are errors.
  std::vector<YAML::Node> documents;
  /// Everything that is wrong, or only the first error of the syntax. Empty if nothing is.
  std::vector<SourceError> errors;
};

/// Reads YAML. `file` is the name of the text in errors. Does not throw; the documents are those of
/// yaml-cpp, whose functions may throw when they are read.
YamlDocuments ParseYaml(std::string_view text, const std::string& file);

/// Returns the line in which a node begins, counted from 1, or 0 if it is not known.
int LineOf(const YAML::Node& node);

}  // namespace berth::yaml
