#include "probe/pending_page.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <algorithm>
#include <string>

#include "probe/nvidia.h"

namespace berth::probe {

namespace {

/// Whether the query might have told of a GPU, had it not failed. No GPU has a field that the
/// driver does not know.
bool HasFailed(const absl::Status& status) { return !status.ok() && !absl::IsNotFound(status); }

/// Whether it says of every GPU that it is well or bad.
bool TellsOfAll(const FieldReading& reading) {
  return !reading.empty() && std::all_of(reading.begin(), reading.end(), [](const auto& gpu) {
    return gpu.second.told >= Told::kWell;
  });
}

}  // namespace

Verdict LookForPendingPages(const Settings& settings, Progress& progress) {
  if (const auto verdict = JudgeWithoutGpus(settings, progress)) return *verdict;
  // One after the other: a field that a driver does not know makes the whole query fail.
  const auto pages =
      ReadField(settings, progress, {"--query-gpu", "pci.bus_id", "retired_pages.pending"}, IsYes);
  if (pages.ok() && HasBad(*pages)) return Judge(*pages, "has pages pending retirement", "");
  const auto rows = ReadField(
      settings, progress, {"--query-remapped-rows", "gpu_bus_id", "remapped_rows.pending"}, IsYes);
  if (rows.ok() && HasBad(*rows)) return Judge(*rows, "has rows pending remapping", "");
  const absl::Status& error = HasFailed(pages.status()) ? pages.status() : rows.status();
  if (!pages.ok() && !rows.ok()) return Unknown(std::string(error.message()));
  const FieldReading told = Merge(pages.value_or(FieldReading()), rows.value_or(FieldReading()));
  if (HasFailed(error) && !TellsOfAll(told)) return Unknown(std::string(error.message()));
  return Judge(told, "", "no page or row is pending");
}

}  // namespace berth::probe
