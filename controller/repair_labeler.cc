#include "controller/repair_labeler.h"

#include <string>
#include <utility>
#include <vector>

namespace berth::controller {

namespace {

// Returns the change as kubectl label takes it: "berth.dev/repair=allowed" or "berth.dev/repair-".
std::string LabelText(const std::string& label, const RepairChange& change) {
  return change.allowed ? label + "=" + std::string(kRepairAllowed) : label + "-";
}

}  // namespace

RepairLabeler::RepairLabeler(Options options, const cluster::Snapshot* snapshot, Patcher* patcher,
                             kube::Timer* timer, WriteObserver* observer)
    : options_(std::move(options)),
      snapshot_(snapshot),
      patcher_(patcher),
      timer_(timer),
      observer_(observer) {}

void RepairLabeler::Run() {
  bool wrote = false;
  do {
    wrote = options_.may_write() && snapshot_->Synced() && WriteOne();
  } while (timer_->Wait(wrote ? options_.pace : options_.interval));
}

bool RepairLabeler::WriteOne() {
  const std::optional<RepairChange> change = NextChange();
  if (!change || !options_.may_write()) return false;
  const std::string& label = options_.rules.label;
  const absl::Status status =
      change->allowed
          ? patcher_->LabelNode(change->node, change->uid, {{label, std::string(kRepairAllowed)}})
          : patcher_->UnlabelNode(change->node, change->uid, label);
  retries_.OnTried(RetryKey(change->node, change->allowed), timer_->Now());
  // To take away what was given is no retry, however often it was given and taken before. To give
  // it again stays one: a node that flaps need not be repaired soon.
  if (status.ok() && change->allowed) retries_.OnDone(RetryKey(change->node, false));
  if (!absl::IsCancelled(status)) {
    observer_->OnWritten(Write::kRepairLabel, change->node, LabelText(label, *change), status);
  }
  return true;
}

std::optional<RepairChange> RepairLabeler::NextChange() {
  const kube::Timer::Clock::time_point now = timer_->Now();
  const std::vector<RepairChange> changes =
      PlanRepairs(snapshot_->Read(), snapshot_->catalog(), options_.rules, options_.now());
  for (const RepairChange& change : changes) {
    if (retries_.IsDue(RetryKey(change.node, change.allowed), now)) return change;
  }
  retries_.Prune(now);
  return std::nullopt;
}

}  // namespace berth::controller
