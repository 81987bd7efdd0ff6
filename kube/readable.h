#pragma once

#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/json_value.h"

namespace berth::kube {

/// Returns what read(object) returns for one object among others, or why it cannot be read: that
/// concerns this object alone, and does not change the status that it shares with the others.
/// `object` must not be absent.
///
///   const auto pod = ReadAlone(item, [](const JsonValue& json) { return PodFromJson(json); });
template <typename Read>
auto ReadAlone(const JsonValue& object, Read read)
    -> absl::StatusOr<std::invoke_result_t<Read, const JsonValue&>> {
  absl::Status error;
  auto made = read(JsonValue(*object.element(), object.path(), error));
  if (!error.ok()) return error;
  return made;
}

}  // namespace berth::kube
