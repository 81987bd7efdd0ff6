#include "probe/ib.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "probe/files.h"
#include "probe/text.h"

namespace berth::probe {

namespace {

// Texts of drivers/infiniband/core/sysfs.c: "4: ACTIVE", "3: Disabled".
constexpr std::uint64_t kDisabled = 3;
constexpr std::uint64_t kActive = 4;

/// The number in front of the colon.
std::uint64_t State(const std::string& file) {
  const std::string text = ReadText(file).value_or("");
  return ToNumber(text.substr(0, text.find(':'))).value_or(0);
}

}  // namespace

Verdict LookForInfiniBandDown(const Settings& settings, Progress& progress) {
  const std::string devices = settings.root + "/sys/class/infiniband";
  progress.Doing("reading " + devices);
  std::uint64_t active = 0;
  for (const std::string& device : NamesIn(devices)) {
    if (!Fits(device, settings.only)) continue;
    const std::string ports = devices + "/" + device + "/ports";
    for (const std::string& port : NamesIn(ports)) {
      const std::string folder = ports + "/" + port;
      if (State(folder + "/phys_state") == kDisabled) continue;
      if (State(folder + "/state") != kActive) {
        const std::string state = ReadText(folder + "/state").value_or("not readable");
        return Bad(fmt::format("port {} of {} is {}", port, device, state));
      }
      ++active;
    }
  }
  if (active < settings.expect.value_or(0)) {
    return Bad(fmt::format("{} of {} ports are active", active, *settings.expect));
  }
  return Well(fmt::format("{} ports are active", active));
}

}  // namespace berth::probe
