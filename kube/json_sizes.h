#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "simdjson.h"

// Limits on one object that users write. Kubernetes limits only the bytes of a request, in which
// 400,000 containers fit; what Berth stores of each takes a thousand times as much. No pod that
// runs comes near these limits.

namespace berth::kube {

/// The most values (members and items) in one text that a user influences. Checked before parsing.
inline constexpr std::size_t kMaxValues = 250'000;

/// The most containers of one pod, init and ephemeral containers included.
inline constexpr std::size_t kMaxContainers = 1'000;

/// The most entries of one list or map of any type.
inline constexpr std::size_t kMaxEntries = 10'000;

/// The most members and items of one object altogether, without metadata.managedFields.
inline constexpr std::size_t kMaxObjectValues = 50'000;

/// Checks an object, or a part of one, against the last three limits. Returns InvalidArgument, with
/// a sentence that names the field, how much it has and how much it may have. `path` names the
/// object in the sentence and may be empty.
absl::Status CheckSizes(simdjson::dom::element object, std::string_view path);

}  // namespace berth::kube
