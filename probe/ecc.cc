#include "probe/ecc.h"

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probe/nvidia.h"
#include "probe/text.h"

namespace berth::probe {

namespace {

std::optional<bool> IsAboveMost(std::string_view value, const Settings& settings) {
  const std::optional<std::uint64_t> errors = ToNumber(value);
  return errors ? std::optional(*errors > settings.most) : std::nullopt;
}

}  // namespace

Verdict LookForEccErrors(const Settings& settings, Progress& progress) {
  if (const auto verdict = JudgeWithoutGpus(settings, progress)) return *verdict;
  const auto reading = ReadField(
      settings, progress, {"--query-gpu", "pci.bus_id", "ecc.errors.uncorrected.volatile.total"},
      IsAboveMost);
  if (!reading.ok()) return Unknown(std::string(reading.status().message()));
  return Judge(*reading, "has uncorrected ECC errors", "no uncorrected ECC errors");
}

}  // namespace berth::probe
