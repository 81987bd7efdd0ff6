#include <fmt/format.h>

#include <algorithm>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"
#include "model/annotation.h"

namespace berth::doctor::checks {

namespace {

// A node has to meet only one term, so every term must have the requirement. An empty term matches
// no node.
bool IsSaidByAffinity(const PodFacts& pod, const std::string& label) {
  if (pod.needs == nullptr || !pod.needs->terms) return false;
  return std::ranges::all_of(*pod.needs->terms, [&label](const model::NodeSelectorTerm& term) {
    return term.empty() ||
           std::ranges::find(term.expressions, label, &model::NodeRequirement::key) !=
               term.expressions.end();
  });
}

// Every scheduler respects the node affinity that admission writes. Only the extender knows the
// annotation.
Findings CheckMemoryMinimum(const Facts& facts, const Rules& rules) {
  const std::vector<std::string> schedulers = BerthSchedulers(facts, rules);
  const std::string name = model::kAcceleratorMemory.Below(rules.config.prefix);
  std::vector<std::string> unheard;
  for (const PodFacts& pod : *facts.pods) {
    if (pod.memory_minimum.empty() || IsSaidByAffinity(pod, name)) continue;
    if (std::ranges::find(schedulers, pod.scheduler) != schedulers.end()) continue;
    unheard.push_back(
        fmt::format("{} ({} by {})", pod.FullName(), pod.memory_minimum, pod.scheduler));
  }
  if (unheard.empty()) return Ok("every minimum memory that a pod names is enforced");
  return Warning(
      fmt::format("pods with a minimum accelerator memory that only the extender enforces, and a "
                  "scheduler that does not call it: {}",
                  Listed(unheard)),
      fmt::format("use a scheduler that calls Berth, or create these pods anew in a namespace that "
                  "enforces admission: the webhook adds a node affinity to {}",
                  name));
}

}  // namespace

Check MemoryMinimum() {
  return {
      .name = "memory-minimum",
      .help = "minimum accelerator memory is a node affinity wherever Berth does not place the pod",
      .needs = {Source::kPods, Source::kScheduler},
      .uses = {Source::kService},
      .run = CheckMemoryMinimum};
}

}  // namespace berth::doctor::checks
