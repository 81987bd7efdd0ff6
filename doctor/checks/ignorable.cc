#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks.h"

namespace berth::doctor {

Findings CheckIgnorable(const Facts& facts, const Rules& rules) {
  return JudgeEntry(facts, rules, [](const ExtenderEntry& entry) {
    if (!entry.ignorable) return Ok("ignorable is false");
    return Warning(
        fmt::format("ignorable is true for {}: while it is away pods go to broken nodes, and "
                    "nobody is told",
                    entry.url_prefix),
        "write ignorable: false, or watch for it: the API server counts no refusals then");
  });
}

}  // namespace berth::doctor
