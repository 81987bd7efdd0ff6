#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "probe/settings.h"

// What sysfs tells of PCI devices: Documentation/ABI/testing/sysfs-bus-pci of Linux, and
// drivers/pci/pci-sysfs.c for the texts.

namespace berth::probe {

/// An accelerator on the PCI bus.
struct PciDevice {
  /// Domain, bus, device and function, such as 0000:3b:00.0.
  std::string address;
  /// Its folder in sysfs.
  std::string folder;
  /// The name of the driver that has it, empty without one.
  std::string driver;
};

/// The accelerators of the vendor, by address. NVIDIA's are the displays (class 03), which leaves
/// out its bridges and network cards; of another vendor processing accelerators (class 12) count,
/// too. Devices that a virtual machine has (driver vfio-pci) are left out: nobody on the node sees
/// them. On an error, which folder of sysfs cannot be read.
absl::StatusOr<std::vector<PciDevice>> Accelerators(const Settings& settings);

/// Whether the device does not answer any more: then its configuration reads as ones only.
bool IsGone(const PciDevice& device);

}  // namespace berth::probe
