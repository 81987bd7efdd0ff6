#include <fmt/format.h>

#include <algorithm>

#include "doctor/berth_entry.h"
#include "doctor/checks.h"

namespace berth::doctor {

// Models become a node affinity, which every scheduler keeps; the memory of a device is told by a
// label that is not Berth's and changes with drivers, so only the extender knows.
Findings CheckMemoryMinimum(const Facts& facts, const Rules& rules) {
  const std::vector<std::string> schedulers = BerthSchedulers(facts, rules);
  std::vector<std::string> unheard;
  for (const PodFacts& pod : *facts.pods) {
    if (pod.memory_minimum.empty()) continue;
    if (std::ranges::find(schedulers, pod.scheduler) != schedulers.end()) continue;
    unheard.push_back(
        fmt::format("{} ({} by {})", pod.FullName(), pod.memory_minimum, pod.scheduler));
  }
  if (unheard.empty()) return Ok("every least memory that a pod names is kept");
  return Warning(
      fmt::format("a least memory of devices that only the extender keeps, by a scheduler "
                  "that does not ask it: {}",
                  Listed(unheard)),
      fmt::format("give these pods to a scheduler that asks Berth, or have them name "
                  "models: {}/accelerators",
                  rules.config.prefix));
}

}  // namespace berth::doctor
