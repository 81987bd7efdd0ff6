#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace berth::kube {

/// Builds a path with a query, in the order of the calls. Not thread-safe.
///
///   Target("/api/v1/nodes").With("limit", "500").text()  // /api/v1/nodes?limit=500
class Target {
 public:
  /// `path` must be escaped already.
  explicit Target(std::string path) : text_(std::move(path)) {}

  /// Adds `name=value`. Characters of the value that are not unreserved (RFC 3986) are escaped. An
  /// empty value is left out.
  Target& With(std::string_view name, std::string_view value);

  /// Path and query, as for HttpRequest::target.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  /// Comes before the next parameter.
  char separator_ = '?';
};

}  // namespace berth::kube
