#include "controller/gate_remover.h"

#include <algorithm>

namespace berth::controller {

GateRemover::GateRemover(Options options, Patcher* patcher, kube::Timer* timer,
                         WriteObserver* observer)
    : options_(std::move(options)), patcher_(patcher), timer_(timer), observer_(observer) {}

void GateRemover::Run() {
  if (options_.gate.empty()) return;
  bool wrote = false;
  do {
    wrote = options_.may_write() && WriteOne();
  } while (timer_->Wait(wrote ? options_.pace : options_.interval));
}

bool GateRemover::WriteOne() {
  const std::optional<Gated> pod = Next();
  if (!pod || !options_.may_write()) return false;
  const absl::Status status =
      patcher_->RemoveGate(pod->namespace_, pod->name, pod->uid, options_.gate);
  retries_.OnTried(pod->uid, timer_->Now());
  if (!absl::IsCancelled(status)) {
    observer_->OnWritten(Write::kGate, pod->namespace_ + '/' + pod->name, options_.gate, status);
  }
  return true;
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
  const bool gated = !options_.gate.empty() && pod.deleted == model::kNoTime &&
                     std::ranges::find(pod.gates, options_.gate) != pod.gates.end();
  const std::lock_guard guard(mutex_);
  if (gated) {
    gated_[pod.uid] = {pod.namespace_, pod.name, pod.uid};
  } else {
    gated_.erase(pod.uid);
  }
}

void GateRemover::OnDelete(model::Pod pod) {
  const std::lock_guard guard(mutex_);
  gated_.erase(pod.uid);
}

}  // namespace berth::controller
