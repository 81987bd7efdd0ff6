#include "controller/kept_writer.h"

#include <set>
#include <utility>
#include <vector>

namespace berth::controller {

KeptWriter::KeptWriter(Options options, const cluster::Snapshot* snapshot, Patcher* patcher,
                       kube::Timer* timer, WriteObserver* observer)
    : options_(std::move(options)),
      snapshot_(snapshot),
      patcher_(patcher),
      timer_(timer),
      observer_(observer) {}

void KeptWriter::Run() {
  bool wrote = false;
  do {
    wrote = options_.may_write() && snapshot_->Synced() && WriteOne();
  } while (timer_->Wait(wrote ? options_.pace : options_.interval));
}

bool KeptWriter::WriteOne() {
  const std::optional<KeptChange> change = NextChange();
  if (!change || !options_.may_write()) return false;
  const absl::Status status =
      patcher_->AnnotateNode(change->node, change->uid, options_.annotation, change->text);
  retries_.OnTried(change->node, timer_->Now());
  if (!absl::IsCancelled(status)) {
    observer_->OnWritten(Write::kKept, change->node, change->text, status);
  }
  return true;
}

std::optional<KeptChange> KeptWriter::NextChange() {
  const kube::Timer::Clock::time_point now = timer_->Now();
  const std::optional<KeptByNode> kept = options_.kept();
  const std::vector<KeptChange> changes = PlanKept(snapshot_->Read(), options_.annotation, kept,
                                                   options_.now(), options_.life);
  std::set<std::string> wanting;
  for (const KeptChange& change : changes) wanting.insert(change.node);
  // Gangs come and go: a node that is as it should be may soon have to say something else.
  retries_.ForgetDone(wanting, now);
  for (const KeptChange& change : changes) {
    if (retries_.IsDue(change.node, now)) return change;
  }
  return std::nullopt;
}

}  // namespace berth::controller
