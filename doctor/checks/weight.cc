#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {
namespace {

Findings CheckWeight(const Facts& facts, const Rules& rules) {
  return JudgeEntry(facts, rules, [](const ExtenderEntry& entry) {
    if (entry.weight >= kBerthWeight) return Ok(fmt::format("weight is {}", entry.weight));
    return Warning(fmt::format("weight is {} for {}: one rank of Berth counts {}, but "
                               "kube-scheduler's spreading counts 300",
                               entry.weight, entry.url_prefix, 10 * entry.weight),
                   fmt::format("write weight: {}", kBerthWeight));
  });
}

}  // namespace

Check Weight() {
  return {.name = "weight",
          .help = "Berth's scores outweigh the scoring plugins that it takes into account",
          .needs = {Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckWeight};
}

}  // namespace berth::doctor::checks
