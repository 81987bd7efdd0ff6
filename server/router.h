#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "server/http.h"

namespace berth::server {

/// Finds the route of a request. Thread-safe: constant after construction.
class Router {
 public:
  struct Match {
    /// Null: no such path, or `allow` says what the path takes instead.
    const Route* route = nullptr;
    /// Value of the Allow header, e.g. "GET, HEAD", when the path is there and the method is not.
    std::string allow;
  };

  explicit Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

  /// Whether the routes make sense together: methods and paths given, none twice, all with handler.
  absl::Status Validate() const;

  /// `target` may have a query, which is ignored. HEAD finds GET's route.
  Match Find(std::string_view method, std::string_view target) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace berth::server
