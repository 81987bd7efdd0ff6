#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "model/accelerator.h"
#include "model/gpu_labels.h"

// The memory of a node's devices, and the least that a pod asks of one: the extender and the node
// affinity judge by the same two numbers, so that they agree.

namespace berth::model {

/// The least memory of one device that a pod asks for by annotation, "40Gi": in bytes, more than
/// zero. The error is a sentence about the text.
absl::StatusOr<std::int64_t> ParseMemoryMinimum(std::string_view annotation);

/// The greatest minimum that the devices of a node meet, in bytes: they have enough for pods that
/// ask for no more. Nothing: nobody knows what they have, and they are for no pod that asks for
/// any.
std::optional<std::int64_t> GreatestMemoryMinimum(const GpuLabels& gpu,
                                                  AcceleratorCatalog::Index accelerator,
                                                  const AcceleratorCatalog& catalog) noexcept;

/// The whole GiB of a minimum, as a label and a node affinity have them. Rounded down on both
/// sides: a node that meets a pod's minimum meets its whole GiB, too. For minimums of whole GiB the
/// reverse holds as well.
constexpr std::int64_t WholeGibibytes(std::int64_t bytes) { return bytes >> 30; }

}  // namespace berth::model
