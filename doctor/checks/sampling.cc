#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {
namespace {

// In a large cluster kube-scheduler offers only a sample of the nodes to extenders. If they refuse
// the whole sample, the pod waits although other nodes would fit (kubernetes/kubernetes#122057). A
// profile's percentage takes precedence over the global one.
Findings CheckSampling(const Facts& facts, const Rules& rules) {
  return JudgeEntry(facts, rules, [&facts](const ExtenderEntry&) {
    const SchedulerConfig& config = *facts.scheduler;
    std::vector<std::string> sampling;
    for (const SchedulerProfile& profile : config.profiles) {
      const std::int64_t percentage = profile.percentage.value_or(config.percentage.value_or(0));
      if (percentage < 100) sampling.push_back(profile.name);
    }
    if (sampling.empty()) return Ok("kube-scheduler offers all nodes to Berth");
    return Warning(fmt::format("profile {} of {} offers a sample of a large cluster's nodes, and a "
                               "pod waits if the whole sample is unfit",
                               Listed(sampling), config.source),
                   "write percentageOfNodesToScore: 100");
  });
}

}  // namespace

Check Sampling() {
  return {.name = "sampling",
          .help = "kube-scheduler offers every node to Berth",
          .needs = {Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckSampling};
}

}  // namespace berth::doctor::checks
