#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {
namespace {

// Kube-scheduler asks all extenders to prioritize the nodes that the last filter left
// (prioritizeNodes in k8s.io/kubernetes/pkg/scheduler/schedule_one.go). Extenders that filter after
// Berth are the subject of check `last`.
Findings CheckShortlist(const Facts& facts, const Rules& rules) {
  const std::int32_t size = rules.config.extender.shortlist.size;
  if (size == 0) return Ok("extender.shortlist.size is 0: Berth answers with all nodes that fit");
  return JudgeEntry(facts, rules, [&facts, size](const ExtenderEntry& own) {
    std::vector<std::string> others;
    for (const ExtenderEntry& entry : facts.scheduler->extenders) {
      const bool ranks = !entry.prioritize_verb.empty() && entry.weight > 0;
      if (ranks && entry != own) others.push_back(entry.url_prefix);
    }
    if (others.empty()) return Ok("no other extender ranks nodes");
    return Warning(
        fmt::format("{} only the nodes in Berth's answer, at most {}: {}",
                    others.size() == 1 ? "another extender ranks" : "other extenders rank", size,
                    Listed(others)),
        "remove its prioritizeVerb, or write extender.shortlist: {size: 0} in Berth's "
        "configuration");
  });
}

}  // namespace

Check Shortlist() {
  return {.name = "shortlist",
          .help = "no other extender scores nodes that Berth leaves out",
          .needs = {Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckShortlist};
}

}  // namespace berth::doctor::checks
