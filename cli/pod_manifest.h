#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/pod.h"

namespace berth::cli {

/// A pod in a file, either by itself or as the template of another object. Any kind counts that has
/// a pod template at spec.template, spec.jobTemplate.spec.template or template.
struct PodManifest {
  /// The pod or, for a template, a pod made from it.
  model::Pod pod;
  /// The pod or the template, as JSON.
  std::string json;
  /// Names the pod for people: "Pod train", "pod template of Job train".
  std::string what;
  /// The other objects of the file: "Service web".
  std::vector<std::string> skipped;
};

/// Returns the first object in `text` that is a pod or has a pod template. `text` is YAML documents
/// or one JSON document; the items of a List count one by one. Returns INVALID_ARGUMENT if there is
/// no such object or something cannot be read. The message begins with `file`, and with the line if
/// it is known.
absl::StatusOr<PodManifest> ParsePodManifest(std::string_view text, const std::string& file);

/// Reads `file`, of up to yaml::kMaxYamlBytes, and parses it like ParsePodManifest(). "-" is
/// standard input.
absl::StatusOr<PodManifest> ReadPodManifest(const std::string& file);

}  // namespace berth::cli
