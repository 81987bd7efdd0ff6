#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/permission.h"
#include "kube/transport.h"
#include "model/node.h"

namespace berth::controller {

/// What Patcher asks of the API server.
inline constexpr kube::Permission kPatchPermissions[] = {{"", "nodes", "patch"},
                                                         {"", "pods", "patch"}};

/// Writes labels and annotations, and nothing else of any object, by JSON merge patch.
/// Errors as of kube::CallJson. Not thread-safe.
class Patcher {
 public:
  /// `transport` must outlive this.
  explicit Patcher(kube::Transport* transport) : transport_(transport) {}

  /// Sets these labels of the node of that uid and leaves the others; an error, Aborted or
  /// InvalidArgument, where another one has its name by now.
  absl::Status LabelNode(std::string_view node, std::string_view uid,
                         const model::StringMap& labels);

  /// The pod of that uid; Aborted where another one has its name by now.
  absl::Status AnnotatePod(std::string_view namespace_name, std::string_view name,
                           std::string_view uid, std::string_view annotation,
                           std::string_view value);

 private:
  kube::Transport* const transport_;
};

}  // namespace berth::controller
