#include "controller/avoid_writer.h"

#include <utility>
#include <vector>

#include "model/accelerator_requests.h"

namespace berth::controller {

AvoidWriter::AvoidWriter(Options options, const cluster::Snapshot* snapshot, Patcher* patcher,
                         kube::Timer* timer, WriteObserver* observer)
    : options_(std::move(options)),
      snapshot_(snapshot),
      patcher_(patcher),
      timer_(timer),
      observer_(observer) {}

void AvoidWriter::Run() {
  if (options_.avoid_for.count() == 0) return;
  bool wrote = false;
  do {
    wrote = snapshot_->Synced() && WriteOne();
  } while (timer_->Wait(wrote ? options_.pace : options_.interval));
}

bool AvoidWriter::WriteOne() {
  const std::optional<AvoidChange> change = NextChange();
  if (!change || !options_.may_write()) return false;
  const absl::Status status =
      patcher_->AnnotateNode(change->node, change->uid, options_.annotation, change->text);
  retries_.OnTried(change->node, timer_->Now());
  if (!absl::IsCancelled(status)) {
    observer_->OnWritten(Write::kAvoid, change->node, change->text, status);
  }
  return true;
}

std::optional<AvoidChange> AvoidWriter::NextChange() {
  const model::Time time = options_.now();
  const kube::Timer::Clock::time_point now = timer_->Now();
  FailedOwners failed;
  const cluster::Snapshot::Reader view = snapshot_->Read();
  {
    const std::lock_guard guard(mutex_);
    ForgetNoted(view, options_.annotation, failed_);
    for (auto& [node, entries] : failed_) {
      std::erase_if(entries, [time](const model::Avoided& entry) { return entry.until <= time; });
    }
    std::erase_if(failed_, [](const auto& each) { return each.second.empty(); });
    failed = failed_;
  }
  const std::vector<AvoidChange> changes = PlanAvoided(view, options_.annotation, failed, time);
  for (const AvoidChange& change : changes) {
    if (retries_.IsDue(change.node, now)) return change;
  }
  retries_.Prune(now);
  return std::nullopt;
}

void AvoidWriter::OnReplaceBegin() {
  const std::lock_guard guard(mutex_);
  listed_.clear();
  listing_ = true;
}

void AvoidWriter::OnReplaceEnd(const std::string&) {
  const std::lock_guard guard(mutex_);
  known_ = std::exchange(listed_, {});
  listing_ = false;
  has_listed_ = true;
}

void AvoidWriter::OnUpsert(model::Pod pod) {
  const bool counts = pod.failed_by_itself && pod.deleted == model::kNoTime &&
                      model::IsAvoidOwner(pod.controller_uid) &&
                      !model::AcceleratorRequests(pod, snapshot_->catalog()).empty();
  const std::lock_guard guard(mutex_);
  const bool is_new = !known_.contains(pod.uid) && !listed_.contains(pod.uid);
  (listing_ ? listed_ : known_).insert(pod.uid);
  if (!counts || !is_new || !has_listed_) return;
  const model::Avoided entry{pod.controller_uid,
                             model::SaturatingAdd(options_.now(), options_.avoid_for)};
  std::vector<model::Avoided>& entries = failed_[pod.node_name];
  entries = MergeAvoided(std::move(entries), {entry}, options_.now());
}

void AvoidWriter::OnDelete(model::Pod pod) {
  const std::lock_guard guard(mutex_);
  known_.erase(pod.uid);
}

}  // namespace berth::controller
