#include <fmt/format.h>

#include <algorithm>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

// Pods with accelerators, by what placed them or is to place them.
struct Placed {
  std::size_t well = 0;
  std::vector<std::string> by_others;
  std::vector<std::string> created_bound;
};

Placed Sort(const Facts& facts, const Rules& rules, const std::vector<std::string>& schedulers) {
  Placed placed;
  for (const PodFacts& pod : *facts.pods) {
    if (!AsksForDevices(pod, rules.catalog)) continue;
    if (pod.created_bound && !pod.mirror) {
      placed.created_bound.push_back(fmt::format("{} (on {})", pod.FullName(), pod.node));
    } else if (std::ranges::find(schedulers, pod.scheduler) == schedulers.end()) {
      placed.by_others.push_back(fmt::format("{} ({})", pod.FullName(), pod.scheduler));
    } else {
      ++placed.well;
    }
  }
  return placed;
}

std::string SchedulerAdvice(const std::vector<std::string>& schedulers) {
  if (schedulers.empty()) return "configure a scheduler to call Berth: see check registered";
  return fmt::format(
      "set schedulerName: {}, or let the webhook do it: admission.policies.schedulerName.name",
      schedulers.front());
}

Findings CheckBypass(const Facts& facts, const Rules& rules) {
  const std::vector<std::string> schedulers = BerthSchedulers(facts, rules);
  const auto [well, by_others, created_bound] = Sort(facts, rules, schedulers);
  Findings found;
  if (!by_others.empty()) {
    Append(Problem(fmt::format("{} with accelerators whose scheduler does not call Berth: {}",
                               Counted(by_others.size(), "pod"), Listed(by_others)),
                   SchedulerAdvice(schedulers)),
           found);
  }
  if (!created_bound.empty()) {
    Append(Warning(fmt::format("{} with accelerators created with spec.nodeName, which bypasses "
                               "every scheduler: {}",
                               Counted(created_bound.size(), "pod"), Listed(created_bound)),
                   "create them with a nodeSelector for kubernetes.io/hostname instead"),
           found);
  }
  if (!found.empty()) return found;
  return Ok(fmt::format("{} with accelerators, all with schedulers that call Berth",
                        Counted(well, "pod")));
}

}  // namespace

Check Bypass() {
  return {.name = "bypass",
          .help = "every pod with accelerators was placed by a scheduler that calls Berth",
          .needs = {Source::kPods, Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckBypass};
}

}  // namespace berth::doctor::checks
