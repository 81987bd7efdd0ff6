#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

constexpr const char* kMatch =
    "write extender.shortlist.defaultSpreading: true in Berth's configuration, or defaultingType: "
    "List without constraints in the args of PodTopologySpread";

// Two places say whether kube-scheduler spreads pods: its configuration and Berth's. They must
// agree.
Findings CheckSpreading(const Facts& facts, const Rules& rules) {
  const auto& shortlist = rules.config.extender.shortlist;
  if (shortlist.size == 0) return Ok("extender.shortlist.size is 0: every pod can be spread");
  return JudgeEntry(facts, rules, [&](const ExtenderEntry&) {
    std::vector<std::string> spreading;
    for (const SchedulerProfile& profile : facts.scheduler->profiles) {
      if (profile.spreads_by_default) spreading.push_back(profile.name);
    }
    if (!shortlist.default_spreading && !spreading.empty()) {
      return Problem(fmt::format("profile {} of {} spreads the pods of ReplicaSets, StatefulSets "
                                 "and Services, but Berth answers with too few nodes for that",
                                 Listed(spreading), facts.scheduler->source),
                     kMatch);
    }
    if (shortlist.default_spreading && spreading.empty()) {
      return Note(
          "no profile spreads pods by default, so Berth could pack those of ReplicaSets, "
          "StatefulSets and Services, too: write extender.shortlist.defaultSpreading: false");
    }
    return Ok("Berth knows whether kube-scheduler spreads pods by default");
  });
}

}  // namespace

Check Spreading() {
  return {.name = "spreading",
          .help = "Berth knows whether kube-scheduler spreads pods by default",
          .needs = {Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckSpreading};
}

}  // namespace berth::doctor::checks
