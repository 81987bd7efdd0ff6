#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "model/accelerator.h"
#include "model/gpu_labels.h"

// The memory of a node's devices, and the minimum memory that a pod requires of one. The extender
// and the node affinity that admission writes use these same two numbers, so that they agree.

namespace berth::model {

/// Parses the annotation for the minimum memory of one device, e.g. "40Gi". Returns bytes;
/// fractions of a byte are rounded up. Returns InvalidArgument, with a sentence about the text, if
/// it is not a quantity or not from 1Mi to 64Pi: "40", without a suffix, is 40 bytes, which every
/// device has.
absl::StatusOr<std::int64_t> ParseMemoryMinimum(std::string_view annotation);

/// Returns the greatest minimum that the devices of a node meet, in bytes. Pods with a smaller or
/// equal minimum fit. The label in `gpu` counts first, then the catalogue's entry; drivers report
/// somewhat less than the nominal memory, and the result allows for that. Returns nullopt if the
/// memory is not known; then no pod with a minimum fits.
std::optional<std::int64_t> GreatestMemoryMinimum(const GpuLabels& gpu,
                                                  AcceleratorCatalog::Index accelerator,
                                                  const AcceleratorCatalog& catalog) noexcept;

/// Converts a minimum to whole GiB, as in the node's label and the pod's node affinity. Both sides
/// are rounded down, so a node that meets a pod's minimum in bytes meets it in whole GiB, too. For
/// minimums of whole GiB the reverse also holds.
constexpr std::int64_t WholeGibibytes(std::int64_t bytes) { return bytes >> 30; }

}  // namespace berth::model
