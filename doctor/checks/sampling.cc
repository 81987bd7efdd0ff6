#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"
#include "doctor/planning.h"

namespace berth::doctor::checks {
namespace {

// The names of kube-scheduler's profiles, by how their pods get a node.
struct Profiles {
  // They look at a sample, and the planner is to look at all nodes.
  std::vector<std::string> planned;
  // They look at a sample alone.
  std::vector<std::string> unplanned;
  // They look at all nodes, although the planner does, too.
  std::vector<std::string> twice;
};

// A profile's percentage takes precedence over the global one.
Profiles ProfilesOf(const SchedulerConfig& config, const Rules& rules) {
  Profiles profiles;
  for (const SchedulerProfile& profile : config.profiles) {
    const std::int64_t percentage = profile.percentage.value_or(config.percentage.value_or(0));
    const bool planned = IsPlanned(profile, rules);
    if (percentage < 100) {
      (planned ? profiles.planned : profiles.unplanned).push_back(profile.name);
    } else if (planned) {
      profiles.twice.push_back(profile.name);
    }
  }
  return profiles;
}

std::string WhatSamples(const std::vector<std::string>& profiles, const Facts& facts) {
  return fmt::format("profile {} of {} looks at a sample of a large cluster's nodes",
                     Listed(profiles), facts.scheduler->source);
}

Findings JudgePlanned(const std::vector<std::string>& planned, const Facts& facts) {
  if (!facts.leader.ok()) {
    return Note(
        fmt::format("{}, and the controller is to look at the others; whether one leads is "
                    "not known: {}",
                    WhatSamples(planned, facts), std::string(facts.leader.status().message())));
  }
  if (Leads(facts)) return Ok("kube-scheduler looks at samples, and the controller at all nodes");
  return Warning(
      fmt::format("{}, and no controller leads that would look at the others: a pod that "
                  "few nodes fit may need many samples",
                  WhatSamples(planned, facts)),
      "see check planner; to do without the controller, write "
      "percentageOfNodesToScore: 100");
}

Findings JudgeUnplanned(const std::vector<std::string>& unplanned, const Facts& facts) {
  return Warning(
      fmt::format("{}, and nobody looks at the others: a pod that few nodes fit may need "
                  "many samples, and may evict pods meanwhile",
                  WhatSamples(unplanned, facts)),
      fmt::format("add {} to planner.schedulers of Berth's configuration, or write "
                  "percentageOfNodesToScore: 100",
                  Listed(unplanned)));
}

// In a large cluster kube-scheduler offers only a sample of the nodes to extenders. If they refuse
// the whole sample, the pod waits although other nodes would fit (kubernetes/kubernetes#122057).
// The planner looks at all nodes for such a pod.
Findings CheckSampling(const Facts& facts, const Rules& rules) {
  return JudgeEntry(facts, rules, [&](const ExtenderEntry&) {
    const Profiles profiles = ProfilesOf(*facts.scheduler, rules);
    Findings found;
    if (!profiles.unplanned.empty()) Append(JudgeUnplanned(profiles.unplanned, facts), found);
    if (!profiles.planned.empty()) Append(JudgePlanned(profiles.planned, facts), found);
    if (!profiles.twice.empty() && facts.leader.ok() && Leads(facts)) {
      Append(
          Note(fmt::format("profile {} of {} looks at every node for each pod, as the controller "
                           "does; without percentageOfNodesToScore, kube-scheduler is several "
                           "times as fast in a large cluster",
                           Listed(profiles.twice), facts.scheduler->source)),
          found);
    }
    return found.empty() ? Ok("kube-scheduler looks at all nodes") : found;
  });
}

}  // namespace

Check Sampling() {
  return {.name = "sampling",
          .help = "kube-scheduler or the controller looks at every node",
          .needs = {Source::kScheduler},
          .uses = {Source::kService, Source::kLeader},
          .run = CheckSampling};
}

}  // namespace berth::doctor::checks
