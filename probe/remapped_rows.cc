#include "probe/remapped_rows.h"

#include <absl/status/statusor.h>

#include <string>

#include "probe/nvidia.h"

namespace berth::probe {

Verdict LookForFailedRemapping(const Settings& settings, Progress& progress) {
  if (const auto verdict = JudgeWithoutGpus(settings, progress)) return *verdict;
  const auto reading = ReadField(
      settings, progress, {"--query-remapped-rows", "gpu_bus_id", "remapped_rows.failure"}, IsYes);
  if (!reading.ok()) return Unknown(std::string(reading.status().message()));
  return Judge(*reading, "could not remap a row of its memory", "no row failed to be remapped");
}

}  // namespace berth::probe
