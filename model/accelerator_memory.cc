#include "model/accelerator_memory.h"

#include <algorithm>

#include "absl/status/status.h"
#include "model/annotation.h"
#include "model/compute_size.h"
#include "model/quantity.h"

namespace berth::model {

namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

// Drivers report less than the nominal memory: a 40 GB A100 reports 39,538 MiB, a 32 GB V100 32,510
// MiB. So a device meets a minimum if it reports at least 93 % of it.
constexpr std::int64_t kReportedPercent = 93;

// 64 PiB, more than any device has. 100 times as much, in bytes, fits 64 bits.
constexpr std::int64_t kMostMebibytes = std::int64_t{1} << 36;

}  // namespace

absl::StatusOr<std::int64_t> ParseMemoryMinimum(std::string_view annotation) {
  const std::string_view text = Trim(annotation);
  const auto memory = Quantity::Parse(text);
  if (!memory.ok()) return memory.status();
  if (absl::Status status = CheckMemorySize(*memory, "a size such as \"40Gi\""); !status.ok()) {
    return status;
  }
  return memory->Value();
}

// The label states what this node has, so it overrides the catalogue: there are V100s with 16 GB.
std::optional<std::int64_t> GreatestMemoryMinimum(const GpuLabels& gpu,
                                                  AcceleratorCatalog::Index accelerator,
                                                  const AcceleratorCatalog& catalog) noexcept {
  if (gpu.memory_mebibytes) {
    const std::int64_t reported = std::min(*gpu.memory_mebibytes, kMostMebibytes) * kMebi;
    return reported * 100 / kReportedPercent;
  }
  if (accelerator == AcceleratorCatalog::kNone) return std::nullopt;
  const std::optional<Quantity>& nominal = catalog[accelerator].memory;
  return nominal ? std::optional(nominal->Value()) : std::nullopt;
}

}  // namespace berth::model
