#include "controller/node_tainter.h"

#include <string>
#include <utility>
#include <vector>

namespace berth::controller {

NodeTainter::NodeTainter(Options options, const cluster::Snapshot* snapshot, TaintWriter* writer,
                         kube::Timer* timer, WriteObserver* observer)
    : options_(std::move(options)),
      snapshot_(snapshot),
      writer_(writer),
      timer_(timer),
      observer_(observer) {}

void NodeTainter::Run() {
  bool wrote = false;
  do {
    wrote = options_.may_write() && snapshot_->Synced() && WriteOne();
  } while (timer_->Wait(wrote ? options_.pace : options_.interval));
}

bool NodeTainter::WriteOne() {
  const std::optional<TaintChange> change = NextChange();
  if (!change || !options_.may_write()) return false;
  const absl::Status status = writer_->Write(*change);
  const bool sets = change->value.has_value();
  retries_.OnTried(RetryKey(change->node, sets), timer_->Now());
  // To undo what was written is no retry, however often the node was tainted before. To write the
  // same again is one: somebody else undoes it.
  if (status.ok()) retries_.OnDone(RetryKey(change->node, !sets));
  if (status.ok() && sets) written_.insert(change->node);
  if (!absl::IsCancelled(status)) {
    observer_->OnWritten(Write::kNodeTaint, change->node, TaintText(options_.rules.key, *change),
                         status);
  }
  return true;
}

std::optional<TaintChange> NodeTainter::NextChange() {
  const kube::Timer::Clock::time_point now = timer_->Now();
  // By then the watch has told of it, or somebody has removed it.
  std::erase_if(written_,
                [&](const std::string& node) { return retries_.IsDue(RetryKey(node, true), now); });
  const std::vector<TaintChange> changes =
      PlanTaints(snapshot_->Read(), snapshot_->catalog(), options_.rules, written_, options_.now());
  for (const TaintChange& change : changes) {
    if (retries_.IsDue(RetryKey(change.node, change.value.has_value()), now)) return change;
  }
  retries_.Prune(now);
  return std::nullopt;
}

}  // namespace berth::controller
