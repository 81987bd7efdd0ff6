#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "simdjson.h"

// How much Berth reads of one object that users write. Kubernetes has no such limits of its own but
// the bytes of a request, in which 400,000 containers fit; what Berth keeps of each is a thousand
// times as large. No pod that runs comes near.

namespace berth::kube {

/// Values in one text that a user influences, members and items: what a parser is asked to read.
inline constexpr std::size_t kMaxValues = 250'000;

/// Containers of one pod: init containers and ephemeral ones are counted, too.
inline constexpr std::size_t kMaxContainers = 1'000;

/// Entries of one list or map, whatever it holds.
inline constexpr std::size_t kMaxEntries = 10'000;

/// Members and items of one object altogether, metadata.managedFields left out.
inline constexpr std::size_t kMaxObjectValues = 50'000;

/// Whether an object, or a part of one, is within the last three. InvalidArgument with a sentence
/// that names the field, how much it has and how much it may have; `path` names the object in it
/// and may be empty.
absl::Status CheckSizes(simdjson::dom::element object, std::string_view path);

}  // namespace berth::kube
