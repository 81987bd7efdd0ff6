#include "model/namespaced_name.h"

#include <cstddef>

#include "model/label.h"

namespace berth::model {

absl::StatusOr<NamespacedName> ParseNamespacedName(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos && text.find('/', slash + 1) == std::string_view::npos) {
    const std::string_view space = text.substr(0, slash);
    const std::string_view name = text.substr(slash + 1);
    if (IsDnsLabel(space) && !name.empty()) {
      return NamespacedName{std::string(space), std::string(name)};
    }
  }
  return absl::InvalidArgumentError("is no namespace and name");
}

}  // namespace berth::model
