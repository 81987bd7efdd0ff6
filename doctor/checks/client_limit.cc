#include <fmt/format.h>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"

namespace berth::doctor::checks {
namespace {

// From this rate on, something else is slower in large clusters.
constexpr double kEnough = 500;

// Each binding is a request, and so is each pod's status that kube-scheduler writes.
Findings CheckClientLimit(const Facts& facts, const Rules& rules) {
  return JudgeEntry(facts, rules, [&facts](const ExtenderEntry&) {
    const double qps = facts.scheduler->qps;
    if (qps < 0 || qps >= kEnough) return Ok("kube-scheduler may bind many pods a second");
    return Note(
        fmt::format("kube-scheduler binds at most {:g} pods a second by {}, however fast it "
                    "finds nodes; for more, write clientConnection: {{qps: 1000, burst: "
                    "2000}}",
                    qps, facts.scheduler->source));
  });
}

}  // namespace

Check ClientLimit() {
  return {.name = "client-limit",
          .help = "kube-scheduler may bind many pods a second",
          .needs = {Source::kScheduler},
          .uses = {Source::kService},
          .run = CheckClientLimit};
}

}  // namespace berth::doctor::checks
