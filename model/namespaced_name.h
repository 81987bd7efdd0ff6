#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace berth::model {

/// Which object of a namespaced kind: both of its names. A plain value.
struct NamespacedName {
  std::string namespace_;
  std::string name;

  /// "<namespace>/<name>"
  std::string text() const { return namespace_ + '/' + name; }

  friend bool operator==(const NamespacedName&, const NamespacedName&) = default;
};

/// Reads "<namespace>/<name>". Returns InvalidArgument, with a clause that follows the text, unless
/// there is one '/' and what is before it can name a namespace. What the name has to look like
/// depends on the kind of object; it is not empty. Thread-safe.
absl::StatusOr<NamespacedName> ParseNamespacedName(std::string_view text);

}  // namespace berth::model
