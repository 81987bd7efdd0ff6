#include "probe/clock.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>

#include "probe/nvidia.h"

namespace berth::probe {

Verdict LookForThrottledClocks(const Settings& settings, Progress& progress) {
  if (const auto verdict = JudgeWithoutGpus(settings, progress)) return *verdict;
  auto reading = ReadField(
      settings, progress, {"--query-gpu", "pci.bus_id", "clocks_event_reasons.hw_slowdown"}, IsYes);
  if (absl::IsNotFound(reading.status())) {  // which is what drivers before 535 call it
    reading =
        ReadField(settings, progress,
                  {"--query-gpu", "pci.bus_id", "clocks_throttle_reasons.hw_slowdown"}, IsYes);
  }
  if (!reading.ok()) return Unknown(std::string(reading.status().message()));
  return Judge(*reading, "is slowed down by its hardware", "no GPU is slowed down");
}

}  // namespace berth::probe
