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

// API objects in JSON. Unknown fields are ignored, names are case-sensitive, and null means absent.
// All errors are InvalidArgument, with a sentence for the author of the JSON. An error about a
// field begins with its path:
//
//   Pod.spec.containers[0].resources.requests["cpu"]: expected a quantity as string, got array
//
// A time that cannot be read is no error: it means that the time is not known.

namespace berth::kube {

/// Parses one document at a time into buffers that it reuses. Not thread-safe; each thread has its
/// own.
///
///   JsonParser parser(kMaxValues);
///   const absl::StatusOr<simdjson::dom::element> root = parser.Parse(text);
///   if (!root.ok()) return root.status();
///   const absl::StatusOr<model::Pod> pod = PodFromJson(*root, "Pod");
class JsonParser {
 public:
  /// The most objects and arrays within each other.
  static constexpr std::size_t kMaxDepth = 64;

  /// Accepts any number of values.
  JsonParser() = default;
  /// For untrusted texts, which may be written to exhaust memory: a text with more than
  /// `most_values` members and items is rejected before it is parsed.
  explicit JsonParser(std::size_t most_values) : most_values_(most_values) {}

  /// Returns the root of `text`, which is copied. The root is valid until the next call. Returns
  /// InvalidArgument if the text is not JSON, not UTF-8, too deep or too large.
  absl::StatusOr<simdjson::dom::element> Parse(std::string_view text);

 private:
  const std::size_t most_values_ = std::numeric_limits<std::size_t>::max();
  simdjson::dom::parser parser_;
};

/// Reads a v1.Pod. `path` names it in errors, e.g. "Pod".
absl::StatusOr<model::Pod> PodFromJson(simdjson::dom::element pod, std::string_view path);

/// Reads a v1.Node. `path` names it in errors. A node without metadata.name, or larger than
/// node_sizes.h allows, is an error.
absl::StatusOr<model::Node> NodeFromJson(simdjson::dom::element node, std::string_view path);

/// Returns InvalidArgument if `document`, a whole text, stands in the place of objects: a
/// v1.Status, with the beginning of what it says, or a list without the field items. Whoever wrote
/// it has not got what was asked for, so it must not pass for an empty list.
absl::Status CheckHoldsObjects(simdjson::dom::element document);

/// The contents of a file of API objects.
struct Objects {
  std::vector<model::Node> nodes;
  std::vector<model::Pod> pods;
  /// Nodes and pods that cannot be read, each with its error.
  std::vector<UnreadableObject> unreadable;
  /// The number of objects of other kinds.
  std::size_t skipped = 0;
};

/// Reads the output of `kubectl get nodes,pods -A -o json`: a List, a NodeList, a PodList or a
/// single object, or several of these one after the other. The objects may be in any order. A text
/// that does not consist of API objects is an error, see CheckHoldsObjects(). A node or pod in it
/// that cannot be read is not an error, but is returned in `unreadable`.
absl::StatusOr<Objects> ObjectsFromJson(std::string_view text);

}  // namespace berth::kube
