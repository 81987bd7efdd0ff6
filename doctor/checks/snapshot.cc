#include <fmt/format.h>

#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

// A watch gets a bookmark about every minute, so a healthy snapshot is younger.
constexpr double kOldSeconds = 180;

Findings Judge(const SnapshotFacts& extender) {
  if (!extender.unreachable.empty()) {
    return Note(fmt::format("the metrics of pod {} cannot be read: {}", extender.pod,
                            extender.unreachable));
  }
  if (!extender.age_seconds) {
    return Problem(fmt::format("Pod {} has not listed nodes and pods", extender.pod),
                   "look at its log: it says what the API server refuses");
  }
  if (*extender.age_seconds > kOldSeconds) {
    return Problem(
        fmt::format("Pod {} has a view of the cluster that is {:.0f} s old", extender.pod,
                    *extender.age_seconds),
        "look at its log: a NetworkPolicy keeps it from the API server, or every list breaks off");
  }
  if (extender.quarantined > 0) {
    return Problem(
        fmt::format("Pod {} has {:.0f} objects in quarantine, which it cannot read", extender.pod,
                    extender.quarantined),
        "its log names each of them once; check readable names the nodes and pods among them");
  }
  return Ok(fmt::format("Pod {} last heard from the API server {:.0f} s ago", extender.pod,
                        *extender.age_seconds));
}

Findings CheckSnapshot(const Facts& facts, const Rules&) {
  if (facts.snapshots->empty()) {
    return Unknown(fmt::format("no extender runs in namespace {}", facts.namespace_name),
                   "give --namespace and --release of the Helm release");
  }
  Findings found;
  for (const SnapshotFacts& extender : *facts.snapshots) Append(Judge(extender), found);
  return found;
}

}  // namespace

Check Snapshot() {
  return {.name = "snapshot",
          .help = "the extenders' view of the cluster is up to date",
          .needs = {Source::kSnapshots},
          .uses = {},
          .run = CheckSnapshot};
}

}  // namespace berth::doctor::checks
