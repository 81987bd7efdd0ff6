#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {
namespace {

Findings CheckIgnorable(const Facts& facts, const Rules& rules) {
  return JudgeEntry(facts, rules, [](const ExtenderEntry& entry) {
    if (!entry.ignorable) return Ok("ignorable is false");
    return Warning(
        fmt::format(
            "ignorable is true for {}: while it is unreachable, pods silently go to broken nodes",
            entry.url_prefix),
        "write ignorable: false, or set an alert for its absence: no refusals are counted then");
  });
}

}  // namespace

Check Ignorable() {
  return {.name = "ignorable",
          .help = "pods wait while the extender cannot be reached",
          .needs = {Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckIgnorable};
}

}  // namespace berth::doctor::checks
