#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "admission/review.h"
#include "yaml/source_error.h"

// Reads manifests so that objects can be found, judged, and written back where they were.

namespace berth::cli {

/// One Kubernetes object of a manifest.
struct ManifestObject {
  /// The object's place: an index into Manifest::documents, and in that document a JSON pointer
  /// such as "/items/3", or "" for the document itself.
  std::size_t document = 0;
  std::string pointer;
  /// The first line of the object in the file, counted from 1.
  int line = 0;
  admission::GroupVersionKind kind;
  /// Empty if the object names none.
  std::string namespace_name;
  /// metadata.name or, if that is missing, generateName.
  std::string name;
  /// The object as JSON, as kubectl would send it.
  std::string json;
};

/// A file of Kubernetes objects.
struct Manifest {
  /// The documents of the file. No two places in them are the same node; see yaml::CopyOf().
  std::vector<YAML::Node> documents;
  /// In the order of the file. A List is replaced by its items.
  std::vector<ManifestObject> objects;
  /// If there are errors, the rest must not be used.
  std::vector<yaml::SourceError> errors;
};

/// Reads YAML documents, or JSON, which is also YAML. `file` names the text in errors. Something
/// that is not an object with apiVersion and kind is an error, and so is an empty text.
Manifest ParseManifest(std::string_view text, const std::string& file);

/// Reads `file`, of up to yaml::kMaxYamlBytes, and parses it like ParseManifest(). "-" is standard
/// input.
Manifest ReadManifest(const std::string& file);

}  // namespace berth::cli
