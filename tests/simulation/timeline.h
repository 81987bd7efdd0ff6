#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "kube/timer.h"
#include "model/time.h"
#include "tests/simulation/fiber.h"

namespace berth::simulation {

/// Since the beginning of the simulation.
using Time = std::chrono::milliseconds;

/// Time that passes from one thing that is to happen to the next. Not thread-safe.
class Timeline {
 public:
  Time now() const { return now_; }
  /// The same by the API server's clock.
  model::Time api_time() const {
    return model::Time(model::Duration(1'800'000'000)) +
           std::chrono::duration_cast<model::Duration>(now());
  }

  /// `time` may be past: then it is now. What is for the same time happens in the order of calls.
  void At(Time time, std::function<void()> happens);
  void After(Time delay, std::function<void()> happens) { At(now_ + delay, std::move(happens)); }

  /// Lets the next thing happen that is for `end` or before; where there is none, time moves on to
  /// `end`, and this is false.
  bool NextUntil(Time end);

 private:
  struct Entry {
    Time time;
    std::uint64_t order;
    std::function<void()> happens;

    bool operator<(const Entry& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };

  Time now_{0};
  std::uint64_t order_ = 0;
  std::priority_queue<Entry> entries_;
};

/// A fiber that waits in the time of a timeline, which must outlive it.
class Task {
 public:
  /// Begins when the timeline goes on.
  Task(Timeline* timeline, std::function<void()> body);
  /// It has ended.
  ~Task();

  /// From within: until `time`, or until WakeAt() says otherwise.
  void SleepUntil(Time time);

  /// Has it go on at `time`, if it sleeps till then.
  void WakeAt(Time time);

  /// Runs it to its end, which must not take time any more.
  void Finish();

 private:
  struct State {
    explicit State(std::function<void()> body) : fiber(std::move(body)) {}
    Fiber fiber;
    /// Counts the sleeps, so that nobody is woken from a later one.
    std::uint64_t sleep = 0;
  };

  Timeline* const timeline_;
  const std::shared_ptr<State> state_;
};

/// The seam of time, for what runs in a task.
class TaskTimer final : public kube::Timer {
 public:
  TaskTimer(const Timeline* timeline, Task* task) : timeline_(timeline), task_(task) {}

  Clock::time_point Now() const override { return Clock::time_point(timeline_->now()); }
  bool Wait(std::chrono::milliseconds duration) override;
  void Stop() override;

  /// For a test of the simulation itself: every wait takes so many times as long.
  void SlowDown(int times) { times_ = times; }

 private:
  const Timeline* const timeline_;
  Task* const task_;
  bool stopped_ = false;
  int times_ = 1;
};

}  // namespace berth::simulation
