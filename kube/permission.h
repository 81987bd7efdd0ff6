#pragma once

#include <string_view>

namespace berth::kube {

/// One permission that a request to the API server needs, in the terms of RBAC. It refers to
/// constants. A plain value.
struct Permission {
  /// Empty for the core group.
  std::string_view api_group;
  /// In plural, with the subresource if any: "nodes", "pods/status".
  std::string_view resource;
  /// "get", "list", "watch", "create", "update", "patch" or "delete".
  std::string_view verb;

  friend bool operator==(const Permission&, const Permission&) = default;
};

}  // namespace berth::kube
