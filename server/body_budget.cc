#include "server/body_budget.h"

#include <utility>

namespace berth::server {

BodyBudget::Share::Share(BodyBudget& budget, std::function<void()> make_way)
    : budget_(budget), make_way_(std::move(make_way)) {}

BodyBudget::Share::~Share() {
  const std::lock_guard lock(budget_.mutex_);
  budget_.Leave(*this);
  budget_.held_ -= bytes_;
}

void BodyBudget::Share::Wait() {
  const std::lock_guard lock(budget_.mutex_);
  budget_.Leave(*this);
  budget_.Enter(*this, State::kWaiting);
}

void BodyBudget::Share::Work() {
  const std::lock_guard lock(budget_.mutex_);
  budget_.Leave(*this);
  budget_.Enter(*this, State::kWorking);
}

bool BodyBudget::Share::Hold(std::size_t bytes) {
  const std::lock_guard lock(budget_.mutex_);
  if (bytes > bytes_ && !budget_.MakeRoom(*this, bytes - bytes_, bytes)) return false;
  if (state_ == State::kLeaving) budget_.leaving_ = budget_.leaving_ - bytes_ + bytes;
  budget_.held_ = budget_.held_ - bytes_ + bytes;
  bytes_ = bytes;
  return true;
}

bool BodyBudget::Share::IsLeaving() const {
  const std::lock_guard lock(budget_.mutex_);
  return state_ == State::kLeaving;
}

bool BodyBudget::MakeRoom(const Share& share, std::size_t more, std::size_t bytes) {
  while (held_ - leaving_ + more > LimitFor(bytes)) {
    if (line_.empty() || line_.front() == &share) return false;
    Share& first = *line_.front();
    Leave(first);
    Enter(first, Share::State::kLeaving);
    first.make_way_();
  }
  return true;
}

void BodyBudget::Enter(Share& share, Share::State state) {
  share.state_ = state;
  if (state == Share::State::kLeaving) leaving_ += share.bytes_;
  if (state == Share::State::kWaiting) share.place_ = line_.insert(line_.end(), &share);
}

void BodyBudget::Leave(Share& share) {
  if (share.state_ == Share::State::kLeaving) leaving_ -= share.bytes_;
  if (share.state_ == Share::State::kWaiting) line_.erase(share.place_);
  share.state_ = Share::State::kWorking;
}

}  // namespace berth::server
