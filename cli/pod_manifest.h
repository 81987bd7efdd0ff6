#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/pod.h"

namespace berth::cli {

/// A pod that somebody wrote down, be it as the template of a controller.
struct PodManifest {
  model::Pod pod;
  /// The pod, or the template, as JSON.
  std::string json;
  /// "Pod train", "pod template of Job train".
  std::string what;
  /// Further objects of the file: "Service web".
  std::vector<std::string> skipped;
};

/// The first object in `text` (YAML documents, or one JSON document; a List counts as what is in
/// it) that is a pod or has a pod template. Errors begin with `file`, and its line where it is
/// known.
absl::StatusOr<PodManifest> ParsePodManifest(std::string_view text, const std::string& file);

/// ParsePodManifest() of a file, "-" being standard input.
absl::StatusOr<PodManifest> ReadPodManifest(const std::string& file);

}  // namespace berth::cli
