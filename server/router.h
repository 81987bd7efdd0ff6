#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "server/http.h"

namespace berth::server {

/// Finds the route of a request. Constant after construction, so thread-safe.
///
/// Looks at one route after the other, because a listener has only a few.
class Router {
 public:
  /// The result of Find().
  struct Match {
    /// Points into the router. Null: there is no such path, or the path does not take the method.
    const Route* route = nullptr;
    /// Value of the Allow header, such as "GET, HEAD", if the path is known and the method is not.
    std::string allow;
  };

  /// Takes any routes; call Validate() before Find().
  explicit Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

  /// Returns INVALID_ARGUMENT, naming the route, if a route has no method, the method HEAD, a path
  /// that does not begin with '/', or no handler, or if two routes have the same method and path.
  absl::Status Validate() const;

  /// Returns the route for a request. The query of `target` is ignored. HEAD finds the route of
  /// GET. Does not block or fail.
  Match Find(std::string_view method, std::string_view target) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace berth::server
