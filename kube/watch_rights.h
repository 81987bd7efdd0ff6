#pragma once

#include <string>

#include "absl/status/status.h"
#include "kube/transport.h"

namespace berth::kube {

/// Objects that a command lists and watches. A plain value.
struct FollowedObjects {
  /// Who does so, as the beginning of a sentence: "the board".
  std::string who;
  /// In the plural, as in "pods".
  std::string resource;
  /// As in "/api/v1/pods".
  std::string path;
  /// Empty: those of all namespaces, or of none.
  std::string namespace_name = {};
  /// What else whoever lacks the rights can do, as the end of a sentence; may be empty.
  std::string otherwise = {};
};

/// Checks that the person may list and watch the objects: a list-and-watch would try again for
/// ever. Asks for both, because a role may grant one without the other. Blocks until the API server
/// has answered. Returns PermissionDenied, with what to ask an administrator for, or the error of
/// the request.
absl::Status CheckListAndWatch(Transport& transport, const FollowedObjects& what);

}  // namespace berth::kube
