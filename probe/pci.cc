#include "probe/pci.h"

#include <absl/status/statusor.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "probe/files.h"

namespace berth::probe {

namespace {

// Of the class' three bytes the first (https://pci-ids.ucw.cz/read/PD).
constexpr std::uint64_t kDisplay = 0x03;
constexpr std::uint64_t kProcessingAccelerator = 0x12;

bool IsAccelerator(const std::string& folder, std::uint64_t vendor) {
  if (ReadNumber(folder + "/vendor") != vendor) return false;
  const std::uint64_t kind = ReadNumber(folder + "/class").value_or(0) >> 16;
  return kind == kDisplay || (vendor != kNvidia && kind == kProcessingAccelerator);
}

std::string DriverOf(const std::string& folder) {
  std::error_code error;
  return std::filesystem::read_symlink(folder + "/driver", error).filename().string();
}

}  // namespace

absl::StatusOr<std::vector<PciDevice>> Accelerators(const Settings& settings) {
  const auto addresses = NamesInSys(settings.root, "bus/pci/devices");
  if (!addresses.ok()) return addresses.status();
  const std::string bus = settings.root + "/sys/bus/pci/devices";
  std::vector<PciDevice> devices;
  for (const std::string& address : *addresses) {
    const std::string folder = bus + "/" + address;
    if (!IsAccelerator(folder, settings.vendor)) continue;
    const std::string driver = DriverOf(folder);
    if (driver != "vfio-pci") devices.push_back({address, folder, driver});
  }
  return devices;
}

bool IsGone(const PciDevice& device) {
  const std::optional<std::string> config = ReadText(device.folder + "/config");
  constexpr std::string_view kOnes = "\xff\xff\xff\xff";
  return config && config->starts_with(kOnes);
}

}  // namespace berth::probe
