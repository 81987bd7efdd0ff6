#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace berth::kube {

/// The taint of one key with the effect NoSchedule, as a node shall have it. A plain value.
struct WantedTaint {
  /// "berth.dev/excluded".
  std::string key;
  /// Its value; nothing if the node shall not have the taint.
  std::optional<std::string> value = {};
};

/// Returns the body of a JSON merge patch that gives a node the taint, changes its value, or
/// removes it; empty if the node already is as it shall be. `list` is the JSON text of a NodeList
/// that was read a moment ago.
///
/// A patch can only replace spec.taints as a whole, because the list has no patchMergeKey (NodeSpec
/// in k8s.io/api/core/v1/types.go, v0.36.3). So the body has all other taints as they were read, in
/// their order, and the node's UID and resourceVersion: the API server answers 409 if anybody has
/// changed the node since (patchResource in
/// k8s.io/apiserver/pkg/endpoints/handlers/patch.go). A taint of the same key with another effect
/// is somebody else's, and stays.
///
/// Returns NotFound if the list has no node of that UID, and Unavailable if it is not a NodeList.
absl::StatusOr<std::string> TaintsPatch(std::string_view list, std::string_view uid,
                                        const WantedTaint& wanted);

}  // namespace berth::kube
