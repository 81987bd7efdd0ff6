#pragma once

#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/unreadable_object.h"
#include "model/node.h"
#include "model/pod.h"
#include "simdjson.h"

// API objects in JSON. Unknown fields are ignored, names are exact, null is the same as absent. All
// errors are InvalidArgument with a sentence for who wrote the JSON; those about a field begin with
// its path: Pod.spec.containers[0].resources.requests["cpu"]: expected a quantity as string, got
// array
//
// A time that cannot be read is none of these: it means that nobody said when.

namespace berth::kube {

/// Parses one document at a time into buffers that it keeps. Not thread-safe: one per thread.
class JsonParser {
 public:
  /// Objects and arrays within each other at most.
  static constexpr std::size_t kMaxDepth = 64;

  JsonParser() = default;
  /// For texts that may be meant to take memory: one with more than `most_values` members and items
  /// is refused before it is parsed.
  explicit JsonParser(std::size_t most_values) : most_values_(most_values) {}

  /// The root of `text`, which is copied. Valid until the next call.
  absl::StatusOr<simdjson::dom::element> Parse(std::string_view text);

 private:
  const std::size_t most_values_ = std::numeric_limits<std::size_t>::max();
  simdjson::dom::parser parser_;
};

/// A v1.Pod; `path` names it in errors, such as "Pod".
absl::StatusOr<model::Pod> PodFromJson(simdjson::dom::element pod, std::string_view path);

/// A v1.Node; without metadata.name it is an error.
absl::StatusOr<model::Node> NodeFromJson(simdjson::dom::element node, std::string_view path);

/// What a file of API objects held.
struct Objects {
  std::vector<model::Node> nodes;
  std::vector<model::Pod> pods;
  /// Nodes and pods that cannot be read.
  std::vector<UnreadableObject> unreadable;
  /// Objects of other kinds.
  std::size_t skipped = 0;
};

/// Reads what `kubectl get nodes,pods -A -o json` writes: a List, a NodeList, a PodList or a single
/// object; or several of them one after the other. Objects may stand in any order. A text that is
/// no API objects is an error; a node or pod among them that cannot be read is none.
absl::StatusOr<Objects> ObjectsFromJson(std::string_view text);

}  // namespace berth::kube
