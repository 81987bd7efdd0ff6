#include "probe/ib.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  const auto names = NamesInSys(settings.root, "class/infiniband");
  if (!names.ok()) return Unknown(std::string(names.status().message()));
  std::uint64_t active = 0;
  std::optional<Verdict> unknown;
  for (const std::string& device : *names) {
    if (!Fits(device, settings.only)) continue;
    const std::string of_ports = devices + "/" + device + "/ports";
    const auto ports = NamesIn(of_ports);
    if (!ports.ok() && !unknown) unknown = Unknown(std::string(ports.status().message()));
    for (const std::string& port : ports.value_or(std::vector<std::string>())) {
      const std::string folder = of_ports + "/" + port;
      if (State(folder + "/phys_state") == kDisabled) continue;
      if (State(folder + "/state") != kActive) {
        const std::string state = ReadText(folder + "/state").value_or("not readable");
        return Bad(fmt::format("port {} of {} is {}", port, device, state));
      }
      ++active;
    }
  }
  if (unknown) return *unknown;
  if (active < settings.expect.value_or(0)) {
    return Bad(fmt::format("{} of {} ports are active", active, *settings.expect));
  }
  return Well(fmt::format("{} ports are active", active));
}

}  // namespace berth::probe
