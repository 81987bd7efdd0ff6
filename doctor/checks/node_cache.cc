#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {
namespace {

// If it is false, kube-scheduler rebuilds its nodes from the reply, without their pods. Then its
// own scoring sees all of them idle (kubernetes/kubernetes#141781).
Findings CheckNodeCache(const Facts& facts, const Rules& rules) {
  return JudgeEntry(facts, rules, [](const ExtenderEntry& entry) {
    if (entry.node_cache_capable) return Ok("nodeCacheCapable is true");
    return Problem(
        fmt::format("nodeCacheCapable is false for {}: whole nodes are sent, and kube-scheduler "
                    "scores them as if they were idle",
                    entry.url_prefix),
        "write nodeCacheCapable: true");
  });
}

}  // namespace

Check NodeCache() {
  return {.name = "node-cache",
          .help = "kube-scheduler sends node names instead of whole nodes",
          .needs = {Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckNodeCache};
}

}  // namespace berth::doctor::checks
