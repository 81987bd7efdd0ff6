#include "server/body_budget.h"

namespace berth::server {

std::unique_ptr<BodyBudget::Share> BodyBudget::Take(std::size_t bytes) {
  if (bytes <= kSmall) bytes = 0;
  const std::lock_guard lock(mutex_);
  if (bytes > left_) return nullptr;
  left_ -= bytes;
  return std::make_unique<Share>(this, bytes);
}

void BodyBudget::GiveBack(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  left_ += bytes;
}

}  // namespace berth::server
