#include "controller/waiting_pod.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace berth::controller {

WaitingPod::WaitingPod(const model::Pod& pod, Clock::time_point now)
    : namespace_(pod.namespace_), name_(pod.name), uid_(pod.uid), settled_(now) {}

void WaitingPod::Update(const model::Pod& pod, const policies::scheduling::ReasonTable& reasons,
                        Clock::time_point now) {
  priority_ = pod.priority;
  created_ = pod.created;
  const std::size_t hash = std::hash<std::string>()(pod.unschedulable);
  if (hash == message_hash_) return;
  message_hash_ = hash;
  refusals_ = ReadRefusals(pod.unschedulable, reasons);
  reported_ = now;
  report_ = Report::kNew;
}

void WaitingPod::CheckReport() {
  if (shape_ == nullptr || report_ != Report::kNew) return;
  const FittingNodes& nodes = shape_->nodes();
  const bool stale = std::any_of(refusals_.begin(), refusals_.end(), [&](const Refusals& counted) {
    return !nodes.IsOfKept(counted.reason) && counted.nodes > nodes.Refused(counted.reason);
  });
  report_ = stale ? Report::kStale : Report::kTrue;
  if (!stale && nudges_ > 0 && reported_ >= nudged_) Settle();
}

void WaitingPod::Settle() {
  settled_ = nudged_;
  nudges_ = 0;
}

bool WaitingPod::IsOutstanding(Clock::time_point now) const {
  return shape_ != nullptr && nudges_ > 0 && now < nudged_ + kTries[nudges_ - 1];
}

void WaitingPod::Expire(Clock::time_point now) {
  if (nudges_ == 0 || IsOutstanding(now)) return;
  if (nudges_ == kTries.size() || nudged_ + kForgotten <= now) Settle();
}

bool WaitingPod::HasStaleReport(Clock::time_point now) const {
  return report_ == Report::kStale && reported_ >= settled_ &&
         reported_ + PodShape::kDelay <= now && now < reported_ + FittingNodes::kRemembered;
}

bool WaitingPod::HasCause(Clock::time_point now) const {
  if (shape_ == nullptr) return false;
  if (HasStaleReport(now)) return true;
  return std::any_of(refusals_.begin(), refusals_.end(), [&](const Refusals& counted) {
    return shape_->HasRecovered(counted.reason, settled_, now);
  });
}

std::optional<model::NodeIndex> WaitingPod::TakeRoom(FreeDevices& free,
                                                     Clock::time_point now) const {
  for (const Refusals& counted : refusals_) {
    const auto node = shape_->TakeRecovered(counted.reason, settled_, now, free);
    if (node) return node;
  }
  // It is unknown about which node the report was wrong.
  return HasStaleReport(now) ? shape_->TakeFitting(free) : std::nullopt;
}

void WaitingPod::OnNudged(model::NodeIndex node, Clock::time_point now) {
  ++nudges_;
  nudged_ = now;
  node_ = node;
}

bool WaitingPod::ComesBefore(const WaitingPod& other) const {
  return std::tie(other.priority_, created_, namespace_, name_) <
         std::tie(priority_, other.created_, other.namespace_, other.name_);
}

}  // namespace berth::controller
