#include "probe/nic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "probe/files.h"
#include "probe/text.h"

namespace berth::probe {

namespace {

constexpr std::uint64_t kUp = 1;  // IFF_UP of linux/if.h

/// Whether it stands for a device of the node itself.
bool IsPhysical(const std::string& folder) {
  return Exists(folder + "/device") && !Exists(folder + "/device/physfn");
}

/// Reading `carrier` fails while the interface is switched off.
bool IsDown(const std::string& folder) {
  const bool is_on = (ReadNumber(folder + "/flags").value_or(0) & kUp) != 0;
  return is_on && ReadNumber(folder + "/carrier") == 0U;
}

/// The first pattern that fits none of the names, or an empty text.
std::string Unmatched(const std::vector<std::string>& patterns,
                      const std::vector<std::string>& names) {
  for (const std::string& pattern : patterns) {
    const bool is_there = std::any_of(
        names.begin(), names.end(), [&](const std::string& name) { return Fits(name, {pattern}); });
    if (!is_there) return pattern;
  }
  return "";
}

}  // namespace

Verdict LookForLinksDown(const Settings& settings, Progress& progress) {
  const std::string net = settings.root + "/sys/class/net";
  progress.Doing("reading " + net);
  const auto interfaces = NamesInSys(settings.root, "class/net");
  if (!interfaces.ok()) return Unknown(std::string(interfaces.status().message()));
  std::vector<std::string> names;
  for (const std::string& name : *interfaces) {
    const std::string folder = net + "/" + name;
    if (!IsPhysical(folder) || !Fits(name, settings.only)) continue;
    if (IsDown(folder)) return Bad(name + " is down");
    names.push_back(name);
  }
  const std::string missing = Unmatched(settings.only, names);
  if (!missing.empty()) return Bad("no interface " + missing);
  return Well(fmt::format("{} links are up", names.size()));
}

}  // namespace berth::probe
