#include "controller/nudger.h"

#include <utility>

#include "absl/time/time.h"

namespace berth::controller {

Nudger::Nudger(Options options,
               std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
               const cluster::Snapshot* snapshot, Patcher* patcher, kube::Timer* timer,
               WriteObserver* observer)
    : options_(std::move(options)),
      snapshot_(snapshot),
      patcher_(patcher),
      timer_(timer),
      observer_(observer),
      plan_(std::move(engine)) {}

void Nudger::Run() {
  bool nudged = false;
  do {
    // A candidate judges, too. Otherwise a change would be lost that happens while the lease
    // changes hands.
    if (snapshot_->Synced()) Judge();
    nudged = options_.may_write() && NudgeOne();
  } while (timer_->Wait(nudged ? options_.pace : options_.interval));
}

void Nudger::Judge() {
  const kube::Timer::Clock::time_point now = timer_->Now();
  if (judged_ && now < *judged_ + options_.interval) return;
  judged_ = now;
  const std::lock_guard guard(mutex_);
  plan_.Judge(snapshot_->Read(), options_.now(), now);
}

bool Nudger::NudgeOne() {
  std::optional<NudgeTarget> pod;
  {
    const std::lock_guard guard(mutex_);
    pod = plan_.TakeDue(timer_->Now());
  }
  if (!pod) return false;
  const std::string time =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(options_.now()), absl::UTCTimeZone());
  const absl::Status status =
      patcher_->AnnotatePod(pod->namespace_, pod->name, pod->uid, options_.annotation, time);
  if (!absl::IsCancelled(status)) {
    observer_->OnWritten(Write::kNudge, pod->namespace_ + '/' + pod->name, time, status);
  }
  return true;
}

void Nudger::OnReplaceBegin() {
  const std::lock_guard guard(mutex_);
  plan_.BeginReplace();
}

void Nudger::OnReplaceEnd(const std::string&) {
  const std::lock_guard guard(mutex_);
  plan_.EndReplace();
}

void Nudger::OnUpsert(model::Pod pod) {
  const std::lock_guard guard(mutex_);
  plan_.Upsert(pod, timer_->Now());
}

void Nudger::OnUnreadable(const kube::UnreadableObject& pod) {
  const std::lock_guard guard(mutex_);
  plan_.Keep(pod);
}

void Nudger::OnDelete(model::Pod pod) {
  const std::lock_guard guard(mutex_);
  plan_.Remove(pod);
}

}  // namespace berth::controller
