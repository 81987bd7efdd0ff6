#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "admission/review.h"
#include "yaml/source_error.h"

namespace berth::cli {

/// An object that somebody wrote down for kubectl.
struct ManifestObject {
  /// Its place in Manifest::documents, and within that one: a JSON pointer such as "/items/3".
  std::size_t document = 0;
  std::string pointer;
  /// Where it begins, counted from 1.
  int line = 0;
  admission::GroupVersionKind kind;
  /// Empty where it says none.
  std::string namespace_name;
  /// Or generateName.
  std::string name;
  std::string json;
};

/// A file of objects.
struct Manifest {
  /// In which no two places are the same node; see CopyOf().
  std::vector<YAML::Node> documents;
  /// Those within Lists instead of the Lists.
  std::vector<ManifestObject> objects;
  /// Not empty: the rest is not to be used.
  std::vector<yaml::SourceError> errors;
};

/// Reads YAML documents, or JSON, which is YAML, too; `file` names them in the errors.
Manifest ParseManifest(std::string_view text, const std::string& file);

/// ParseManifest() of a file, "-" being standard input.
Manifest ReadManifest(const std::string& file);

}  // namespace berth::cli
