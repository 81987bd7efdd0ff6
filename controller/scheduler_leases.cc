#include "controller/scheduler_leases.h"

#include <utility>

#include "server/log.h"

namespace berth::controller {

using server::Log;
using server::LogLevel;

SchedulerLeases::SchedulerLeases(const std::vector<model::NamespacedName>& leases,
                                 kube::Transport* transport) {
  for (const model::NamespacedName& lease : leases) {
    leases_.push_back({lease.text(), ApiLeaseStore(transport, lease.namespace_, lease.name)});
  }
}

SchedulerTerm SchedulerLeases::Read() {
  SchedulerTerm term;
  for (Known& lease : leases_) {
    Read(lease);
    const bool is_doubted = lease.missing > 0 && lease.missing < kBelieved;
    if (lease.fate == Fate::kUnreadable || is_doubted) term.is_certain = false;
    if (lease.term.empty()) continue;
    if (!term.text.empty()) term.text += ',';
    term.text += lease.term;
  }
  return term;
}

void SchedulerLeases::Read(Known& known) {
  const absl::StatusOr<kube::Lease> lease = known.store.Get();
  if (absl::IsCancelled(lease.status())) return;
  known.missing = absl::IsNotFound(lease.status()) ? known.missing + 1 : 0;
  if (lease.ok()) {
    const kube::LeaseRecord& record = lease->record;
    known.term = record.holder + '/' + std::to_string(record.transitions);
    return Report(known, Fate::kRead, lease.status());
  }
  const bool is_missing = known.missing >= kBelieved;
  if (known.missing > 0 && !is_missing) return;  // nothing to tell of yet
  if (is_missing) known.term.clear();
  Report(known, is_missing ? Fate::kMissing : Fate::kUnreadable, lease.status());
}

void SchedulerLeases::Report(Known& known, Fate fate, const absl::Status& status) {
  if (std::exchange(known.fate, fate) == fate) return;
  if (fate == Fate::kRead) {
    return Log(LogLevel::kInfo, "kube-scheduler's Lease can be read", {{"lease", known.name}});
  }
  if (fate == Fate::kMissing) {
    return Log(LogLevel::kWarning,
               "there is no such Lease of kube-scheduler; gangs are planned without it, and a "
               "kube-scheduler up to 1.36 that restarts may forget what is reserved for them",
               {{"lease", known.name},
                {"hint",
                 "planner.gangs.schedulerLeases names the Leases; write [] if "
                 "kube-scheduler elects no leader"}});
  }
  Log(LogLevel::kError,
      "cannot read kube-scheduler's Lease; no gang is released for a minute, and then by what was "
      "read last",
      {{"lease", known.name},
       {"error", std::string(status.message())},
       {"hint", "needs verb get on leases; `berth controller --rbac` writes the role"}});
}

}  // namespace berth::controller
