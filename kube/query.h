#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace berth::kube {

/// A path and its query, written in order: Target("/api/v1/nodes").With("limit", "500").
class Target {
 public:
  explicit Target(std::string path) : text_(std::move(path)) {}

  /// `name=value` with what is not unreserved (RFC 3986) escaped in the value. An empty value is
  /// left out.
  Target& With(std::string_view name, std::string_view value);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  char separator_ = '?';
};

}  // namespace berth::kube
