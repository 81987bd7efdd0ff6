#include "controller/nominator.h"

#include <algorithm>
#include <utility>

namespace berth::controller {

Nominator::Nominator(Options options,
                     std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
                     const cluster::Snapshot* snapshot, Patcher* patcher, kube::Timer* timer,
                     WriteObserver* observer, PlannerMetrics* metrics)
    : options_(std::move(options)),
      snapshot_(snapshot),
      patcher_(patcher),
      timer_(timer),
      observer_(observer),
      metrics_(metrics),
      planner_(std::move(engine), options_.planner) {}

void Nominator::Run() {
  if (options_.planner.schedulers.empty()) return;
  // Rounds take a fifth of a core at most, however many pods wait.
  constexpr int kRest = 4;
  std::chrono::milliseconds rest{0};
  do {
    if (!options_.may_write()) {
      metrics_->OnIdle();
    } else if (snapshot_->Synced() && IsDue()) {
      PlanOnce();
    }
    rest = std::chrono::duration_cast<std::chrono::milliseconds>(kRest * took_);
  } while (timer_->Wait(std::max(options_.interval, rest)));
}

bool Nominator::IsDue() {
  const std::uint64_t generation = snapshot_->Read().Generation();
  const std::lock_guard guard(mutex_);
  if (!listed_ || planner_.empty()) return false;
  return changed_ || generation != generation_ || planned_ + options_.idle <= timer_->Now();
}

void Nominator::PlanOnce() {
  std::vector<planner::Step> steps;
  {
    const std::lock_guard guard(mutex_);
    const cluster::Snapshot::Reader reader = snapshot_->Read();
    planned_ = timer_->Now();
    generation_ = reader.Generation();
    changed_ = false;
    const auto seen_bound = [&reader](const std::string& key, const std::string& uid) {
      return reader.WasSeenBound(key, uid);
    };
    steps = planner_.Plan(reader, seen_bound, options_.now(), planned_);
    took_ = timer_->Now() - planned_;
    metrics_->OnPlanned(planner_, took_, options_.now());
  }
  for (const planner::Step& step : steps) {
    if (WriteStep(step)) continue;
    const std::lock_guard guard(mutex_);
    planner_.Failed(step, timer_->Now());
  }
}

bool Nominator::WriteStep(const planner::Step& step) {
  if (!options_.may_write()) return false;
  const absl::Status status = patcher_->NominatePod(step.namespace_, step.name, step.uid,
                                                    step.node, options_.annotation);
  if (!absl::IsCancelled(status)) {
    observer_->OnWritten(Write::kNomination, step.namespace_ + '/' + step.name, step.node, status);
    metrics_->OnWritten(step, status.ok(), options_.now());
  }
  return status.ok();
}

void Nominator::OnReplaceBegin() {
  const std::lock_guard guard(mutex_);
  planner_.BeginReplace();
}

void Nominator::OnReplaceEnd(const std::string&) {
  const std::lock_guard guard(mutex_);
  planner_.EndReplace();
  listed_ = changed_ = true;
}

void Nominator::OnUpsert(model::Pod pod) {
  const std::lock_guard guard(mutex_);
  planner_.Upsert(pod, timer_->Now());
  changed_ = true;
}

void Nominator::OnUnreadable(const kube::UnreadableObject& pod) {
  const std::lock_guard guard(mutex_);
  planner_.Keep(pod.namespace_, pod.name);
}

void Nominator::OnDelete(model::Pod pod) {
  const std::lock_guard guard(mutex_);
  planner_.Remove(pod);
  changed_ = true;
}

}  // namespace berth::controller
