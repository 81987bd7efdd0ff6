#include "probe/gpu_lost.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probe/nvidia.h"
#include "probe/pci.h"
#include "probe/text.h"

namespace berth::probe {

namespace {

/// Whether a line says that a GPU is gone, whatever the exit code.
bool SaysLost(std::string_view line) {
  return line.find("GPU is lost") != std::string_view::npos ||
         line.find("Unable to determine the device handle") != std::string_view::npos;
}

/// Whether nvidia-smi ends with this when hardware is broken; its other codes say that it cannot
/// tell.
bool IsHardware(int exit_code) {
  return exit_code == 8 || exit_code == 10 || exit_code == 14 || exit_code == 15;
}

Verdict AskNvidiaSmi(const Settings& settings, Progress& progress, std::uint64_t expected) {
  return JudgeGpuList(
      RunNvidiaSmi(settings, progress, {"--query-gpu=pci.bus_id", "--format=csv,noheader"}),
      expected);
}

}  // namespace

Verdict LookForLostGpus(const Settings& settings, Progress& progress) {
  progress.Doing("reading the PCI bus");
  const auto devices = Accelerators(settings);
  if (!devices.ok()) return Unknown(std::string(devices.status().message()));
  for (const PciDevice& device : *devices) {
    if (IsGone(device)) return Bad(device.address + " does not answer on the PCI bus");
  }
  const std::uint64_t expected = settings.expect.value_or(devices->size());
  if (devices->size() < expected) {
    return Bad(fmt::format("{} of {} accelerators are on the PCI bus", devices->size(), expected));
  }
  if (devices->empty()) return Well("no accelerator on the PCI bus");
  if (settings.vendor != kNvidia || settings.nvidia_smi.empty()) {
    return Well(fmt::format("{} accelerators on the PCI bus", devices->size()));
  }
  return AskNvidiaSmi(settings, progress, expected);
}

Verdict JudgeGpuList(const ProgramResult& result, std::uint64_t expected) {
  std::uint64_t listed = 0;
  for (const std::string& line : Split(result.output, "\n")) {
    if (SaysLost(line)) return Bad("nvidia-smi: " + line);
    // Every line with an address is a GPU, all others are warnings.
    if (IsBusId(Trim(line))) ++listed;
  }
  if (IsHardware(result.exit_code)) return Bad(ExplainExit(result));
  const bool is_none = result.output.find("No devices were found") != std::string::npos;
  if (result.exit_code != 0 && !is_none) return Unknown(ExplainExit(result));
  if (listed < expected)
    return Bad(fmt::format("nvidia-smi lists {} of {} GPUs", listed, expected));
  return Well(fmt::format("{} GPUs answer", listed));
}

}  // namespace berth::probe
