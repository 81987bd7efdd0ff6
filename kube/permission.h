#pragma once

#include <string_view>

namespace berth::kube {

/// One thing that a request to the API server needs to be allowed, in RBAC's words.
struct Permission {
  /// Empty: the core group.
  std::string_view api_group;
  std::string_view resource;
  std::string_view verb;

  friend bool operator==(const Permission&, const Permission&) = default;
};

}  // namespace berth::kube
