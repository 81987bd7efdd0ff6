#include "tests/simulation/timeline.h"

#include <algorithm>
#include <utility>

namespace berth::simulation {

void Timeline::At(Time time, std::function<void()> happens) {
  entries_.push({std::max(time, now_), order_++, std::move(happens)});
}

bool Timeline::NextUntil(Time end) {
  if (entries_.empty() || entries_.top().time > end) {
    now_ = end;
    return false;
  }
  const auto happens = entries_.top().happens;
  now_ = entries_.top().time;
  entries_.pop();
  happens();
  return true;
}

Task::Task(Timeline* timeline, std::function<void()> body)
    : timeline_(timeline), state_(std::make_shared<State>(std::move(body))) {
  WakeAt(timeline_->now());
}

Task::~Task() = default;

void Task::SleepUntil(Time time) {
  ++state_->sleep;
  WakeAt(time);
  Fiber::Suspend();
}

void Task::WakeAt(Time time) {
  timeline_->At(time, [weak = std::weak_ptr(state_), sleep = state_->sleep] {
    const auto state = weak.lock();
    if (state != nullptr && !state->fiber.ended() && state->sleep == sleep) state->fiber.Resume();
  });
}

void Task::Finish() {
  while (!state_->fiber.ended()) {
    ++state_->sleep;
    state_->fiber.Resume();
  }
}

bool TaskTimer::Wait(std::chrono::milliseconds duration) {
  const Time end = timeline_->now() + times_ * duration;
  while (!stopped_ && timeline_->now() < end) task_->SleepUntil(end);
  return !stopped_;
}

void TaskTimer::Stop() {
  stopped_ = true;
  task_->WakeAt(timeline_->now());
}

}  // namespace berth::simulation
