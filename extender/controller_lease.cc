#include "extender/controller_lease.h"

namespace berth::extender {

void ControllerLease::OnRead(const kube::LeaseRecord& record, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (record_ && *record_ != record) changed_ = now;
  record_ = record;
}

bool ControllerLease::IsHeld(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  return record_ && !record_->holder.empty() && changed_ && now - *changed_ < record_->duration;
}

}  // namespace berth::extender
