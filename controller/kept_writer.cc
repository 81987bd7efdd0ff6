#include "controller/kept_writer.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "model/node.h"

namespace berth::controller {

namespace {

// Empty if the node has no such annotation, or is gone.
std::string_view TextOn(const model::ClusterView& view, std::string_view node,
                        std::string_view annotation) {
  const auto index = view.Find(node);
  if (!index) return {};
  return model::Find(view.At(*index)->node.annotations, annotation).value_or(std::string_view());
}

}  // namespace

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
  const Clock::time_point now = timer_->Now();
  retries_.OnTried(change->node, now);
  if (status.ok()) unseen_[change->node] = {change->text, now};
  if (!absl::IsCancelled(status)) {
    observer_->OnWritten(Write::kKept, change->node, change->text, status);
  }
  return true;
}

std::optional<KeptChange> KeptWriter::NextChange() {
  const Clock::time_point now = timer_->Now();
  const std::optional<KeptByNode> kept = options_.kept();
  const cluster::Snapshot::Reader view = snapshot_->Read();
  NoticeEchoes(view, now);
  retries_.Prune(now);
  std::vector<KeptChange> changes =
      PlanKept(view, options_.annotation, kept, options_.now(), options_.life);
  std::erase_if(changes, [&](const KeptChange& change) {
    return unseen_.contains(change.node) || !retries_.IsDue(change.node, now);
  });
  const auto next = std::ranges::min_element(changes, {}, [this](const KeptChange& change) {
    return std::pair(change.is_renewal, retries_.DueAt(change.node));
  });
  if (next == changes.end()) return std::nullopt;
  return *next;
}

void KeptWriter::NoticeEchoes(const model::ClusterView& view, Clock::time_point now) {
  std::erase_if(unseen_, [&](const auto& entry) {
    const auto& [node, written] = entry;
    if (TextOn(view, node, options_.annotation) != written.text) {
      return written.time + kLost <= now;
    }
    retries_.OnDone(node);
    return true;
  });
}

}  // namespace berth::controller
