#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {
namespace {

// Kube-scheduler asks ignorable extenders last, wherever they are in the list
// (NewFrameworkExtenders and buildExtenders in k8s.io/kubernetes/pkg/scheduler/scheduler.go).
Findings CheckLast(const Facts& facts, const Rules& rules) {
  const auto place = BerthEntry(facts, rules);
  if (!place)
    return Unknown(facts.scheduler->source + " has no extender of Berth", "see check registered");
  const std::vector<ExtenderEntry>& all = facts.scheduler->extenders;
  const bool ignorable = all[*place].ignorable;
  std::vector<std::string> later;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool after = all[i].ignorable == ignorable ? i > *place : all[i].ignorable;
    if (after && !all[i].filter_verb.empty()) later.push_back(all[i].url_prefix);
  }
  if (later.empty()) return Ok("no extender that filters is called after Berth");
  const std::int32_t size = rules.config.extender.shortlist.size;
  return Problem(
      fmt::format("{} filter {} has chosen: {}",
                  later.size() == 1 ? "another extender may" : "other extenders may",
                  size == 0 ? "what Berth" : fmt::format("the nodes (at most {}) that Berth", size),
                  Listed(later)),
      "put Berth's entry last; if the other entry is ignorable, no order helps: remove its "
      "filterVerb");
}

}  // namespace

Check Last() {
  return {.name = "last",
          .help = "no other extender is called after Berth's",
          .needs = {Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckLast};
}

}  // namespace berth::doctor::checks
