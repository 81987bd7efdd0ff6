#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {
namespace {

// Kube-scheduler tries preemption on a sample of the nodes that it might help on, at least 100,
// before it asks extenders (DryRunPreemption in
// k8s.io/kubernetes/pkg/scheduler/framework/preemption). If Berth drops the whole sample, the pod
// waits although it could preempt on another node.
Findings CheckPreemption(const Facts& facts, const Rules& rules) {
  return JudgeEntry(facts, rules, [&facts](const ExtenderEntry&) {
    std::vector<std::string> sampling;
    for (const SchedulerProfile& profile : facts.scheduler->profiles) {
      if (profile.candidate_percentage < 100) sampling.push_back(profile.name);
    }
    if (sampling.empty())
      return Ok("kube-scheduler asks Berth about all nodes on which a pod may preempt");
    return Warning(
        fmt::format("profile {} of {} looks for pods to preempt on a sample of a large cluster's "
                    "nodes, and a pod for a small pool waits if Berth refuses the whole sample",
                    Listed(sampling), facts.scheduler->source),
        "write minCandidateNodesPercentage: 100 in the args of DefaultPreemption, as `berth "
        "stanza` prints them");
  });
}

}  // namespace

Check Preemption() {
  return {.name = "preemption",
          .help = "kube-scheduler considers every node for preemption",
          .needs = {Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckPreemption};
}

}  // namespace berth::doctor::checks
