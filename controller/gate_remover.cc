#include "controller/gate_remover.h"

#include <algorithm>

namespace berth::controller {

GateRemover::GateRemover(Options options, Patcher* patcher, kube::Timer* timer,
                         WriteObserver* observer)
    : options_(std::move(options)), patcher_(patcher), timer_(timer), observer_(observer) {}

void GateRemover::Run() {
  if (!options_.gangs) return;
  bool wrote = false;
  do {
    wrote = options_.may_write() && WriteOne();
  } while (timer_->Wait(wrote ? options_.pace : options_.interval));
}

bool GateRemover::WriteOne() {
  const std::optional<Gated> pod = Next();
  if (!pod || !options_.may_write()) return false;
  const absl::Status status = Free(*pod);
  retries_.OnTried(pod->uid, timer_->Now());
  if (absl::IsCancelled(status)) return true;
  const std::string name = pod->namespace_ + '/' + pod->name;
  if (pod->pod_group.empty()) {
    observer_->OnWritten(Write::kGate, name, options_.gangs->gate, status);
  } else {
    observer_->OnWritten(Write::kPodGroup, name, pod->pod_group, status);
  }
  return true;
}

absl::Status GateRemover::Free(const Gated& pod) {
  if (pod.pod_group.empty()) {
    return patcher_->FreePod(pod.namespace_, pod.name, pod.uid, *options_.gangs);
  }
  return patcher_->CreatePodGroup({.namespace_ = pod.namespace_,
                                   .name = pod.pod_group,
                                   .priority_class = pod.priority_class,
                                   .freed = true},
                                  *options_.gangs);
}

std::optional<GateRemover::Gated> GateRemover::GatedBy(const model::Pod& pod) const {
  if (!options_.gangs || pod.deleted != model::kNoTime) return std::nullopt;
  if (std::ranges::find(pod.gates, options_.gangs->gate) != pod.gates.end()) {
    return Gated{pod.namespace_, pod.name, pod.uid};
  }
  if (!options_.pod_groups || pod.scheduling_group.empty()) return std::nullopt;
  const auto gang = model::GangOf(pod.annotations, *options_.gangs);
  const bool ours = gang.ok() && gang->has_value() &&
                    model::PodGroupNameOf((*gang)->name) == pod.scheduling_group;
  if (!ours) return std::nullopt;
  return Gated{pod.namespace_, pod.name, pod.uid, pod.scheduling_group, pod.priority_class};
}

std::optional<GateRemover::Gated> GateRemover::Next() {
  const kube::Timer::Clock::time_point now = timer_->Now();
  const std::lock_guard guard(mutex_);
  for (const auto& [uid, pod] : gated_) {
    if (retries_.IsDue(uid, now)) return pod;
  }
  retries_.Prune(now);
  return std::nullopt;
}

void GateRemover::OnReplaceBegin() {
  const std::lock_guard guard(mutex_);
  gated_.clear();
}

void GateRemover::OnReplaceEnd(const std::string&) {}

void GateRemover::OnUpsert(model::Pod pod) {
  std::optional<Gated> gated = GatedBy(pod);
  const std::lock_guard guard(mutex_);
  if (gated) {
    gated_[pod.uid] = *std::move(gated);
  } else {
    gated_.erase(pod.uid);
  }
}

void GateRemover::OnDelete(model::Pod pod) {
  const std::lock_guard guard(mutex_);
  gated_.erase(pod.uid);
}

}  // namespace berth::controller
