#pragma once

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "model/quantity.h"

// Which amounts of cpu and memory the configuration may give to a container or ascribe to a device,
// and a pod may ask of one. All fields of this kind have the same limits, so that a suffix that
// somebody forgot is found when the text is read, and not when kubelet kills the first container.
// All functions are thread-safe.

namespace berth::model {

/// Returns INVALID_ARGUMENT unless `cpu` is from a thousandth of a core, the least that Kubernetes
/// counts, to a million cores. The message says what was given, and to write `instead`, such as "a
/// size such as \"1\"".
absl::Status CheckCpuSize(const std::optional<Quantity>& cpu, std::string_view instead);

/// The same for cores that kubelet is to reserve for a container: a whole number of them, from 1.
absl::Status CheckWholeCpuSize(const std::optional<Quantity>& cpu, std::string_view instead);

/// Returns INVALID_ARGUMENT unless `memory` is from 1Mi to 64Pi, which is more than any node has.
/// The message is as above, but for a number without a suffix, and one with "m" for "Mi", it asks
/// whether another suffix was meant.
absl::Status CheckMemorySize(const std::optional<Quantity>& memory, std::string_view instead);

}  // namespace berth::model
