#include "server/router.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <set>

namespace berth::server {
namespace {

bool Takes(const Route& route, std::string_view method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

void AppendAllowed(const Route& route, std::string& allow) {
  if (!allow.empty()) allow += ", ";
  allow += route.method;
  if (route.method == "GET") allow += ", HEAD";
}

absl::Status Wrong(const Route& route, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("route ", route.method, " ", route.path, ": ", std::string(what)));
}

}  // namespace

absl::Status Router::Validate() const {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Route& route : routes_) {
    if (route.method.empty()) return Wrong(route, "has no method");
    if (route.method == "HEAD") return Wrong(route, "is answered by the route of GET");
    if (!route.path.starts_with('/')) return Wrong(route, "the path must begin with '/'");
    if (!route.handle) return Wrong(route, "has no handler");
    if (!seen.emplace(route.method, route.path).second) return Wrong(route, "is there twice");
  }
  return absl::OkStatus();
}

Router::Match Router::Find(std::string_view method, std::string_view target) const {
  const std::string_view path = target.substr(0, target.find('?'));
  Match match;
  for (const Route& route : routes_) {
    if (route.path != path) continue;
    if (Takes(route, method)) return {&route, ""};
    AppendAllowed(route, match.allow);
  }
  return match;
}

}  // namespace berth::server
