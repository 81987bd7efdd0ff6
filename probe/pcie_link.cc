#include "probe/pcie_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "probe/files.h"
#include "probe/pci.h"
#include "probe/text.h"

namespace berth::probe {

namespace {

// What the kernel writes when it cannot read the width: all six bits of the register.
constexpr std::uint64_t kNoWidth = 63;

/// Lanes that the device and the port above it can both use.
std::uint64_t FullWidth(const PciDevice& device) {
  const std::uint64_t own = ReadNumber(device.folder + "/max_link_width").value_or(0);
  std::error_code error;
  const std::filesystem::path place = std::filesystem::canonical(device.folder, error);
  if (error) return own;
  const std::optional<std::uint64_t> port =
      ReadNumber((place.parent_path() / "max_link_width").string());
  return port && *port != kNoWidth ? std::min(own, *port) : own;
}

/// Of "16.0 GT/s PCIe" the number.
std::optional<double> Speed(const PciDevice& device) {
  const std::optional<std::string> text = ReadText(device.folder + "/current_link_speed");
  if (!text) return std::nullopt;
  return ToDecimal(std::string_view(*text).substr(0, text->find(' ')));
}

Verdict JudgeLink(const PciDevice& device, const Settings& settings) {
  const auto width = ReadNumber(device.folder + "/current_link_width");
  if (!width || *width == 0 || *width == kNoWidth) {
    return Unknown(device.address + " does not say how wide its link is");
  }
  const std::uint64_t full = settings.min_width.value_or(FullWidth(device));
  if (*width < full) return Bad(fmt::format("{} at x{} of x{}", device.address, *width, full));
  if (settings.min_speed <= 0) return Well("");
  const std::optional<double> speed = Speed(device);
  if (!speed) return Unknown(device.address + " does not say how fast its link is");
  if (*speed >= settings.min_speed) return Well("");
  return Bad(fmt::format("{} at {} of {} GT/s", device.address, *speed, settings.min_speed));
}

}  // namespace

Verdict LookForDegradedLinks(const Settings& settings, Progress& progress) {
  progress.Doing("reading the PCI bus");
  std::optional<Verdict> unknown;
  const auto devices = Accelerators(settings);
  if (!devices.ok()) return Unknown(std::string(devices.status().message()));
  for (const PciDevice& device : *devices) {
    Verdict verdict = JudgeLink(device, settings);
    if (verdict.outcome == Outcome::kBad) return verdict;
    if (verdict.outcome == Outcome::kUnknown && !unknown) unknown = verdict;
  }
  if (unknown) return *unknown;
  return Well(fmt::format("the links of {} accelerators are full", devices->size()));
}

}  // namespace berth::probe
