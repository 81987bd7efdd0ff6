#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/snapshot.h"
#include "controller/patcher.h"
#include "controller/planner_metrics.h"
#include "controller/write_observer.h"
#include "kube/list_watch.h"
#include "kube/timer.h"
#include "planner/planner.h"
#include "policies/scheduling/engine.h"

namespace berth::controller {

/// Writes what planner::Planner decides: the nominated nodes of pods that wait.
///
/// It takes the unassigned pods from a list-and-watch, which calls the On... methods on its own
/// thread. Run() blocks, so give it another thread; it ends when the timer is stopped. Controller
/// owns it. These two threads may use it at the same time.
class Nominator final : public kube::ListWatchHandler<model::Pod> {
 public:
  /// What to plan, and how often.
  struct Options {
    planner::PlannerConfig planner;
    /// Full name of the annotation that marks the plan's nominations: "berth.dev/plan".
    std::string annotation;
    /// Returns whether this controller leads. Asked before each round and each write.
    std::function<bool()> may_write;
    /// The time for policies.
    std::function<model::Time()> now;
    /// From one round to the next, if something has changed. A pod that was refused shall have a
    /// nomination within 200 ms.
    std::chrono::milliseconds interval{50};
    /// From one round to the next, if nothing has changed.
    std::chrono::milliseconds idle{1000};
  };

  /// The snapshot has the nodes and all bound pods, whole. Everything pointed at must outlive this.
  Nominator(Options options, std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
            const cluster::Snapshot* snapshot, Patcher* patcher, kube::Timer* timer,
            WriteObserver* observer, PlannerMetrics* metrics);

  /// Plans and writes while this controller leads, both lists are there, and pods wait. Returns at
  /// once if no scheduler's pods are planned. Each write is reported to `observer`, on this thread.
  void Run();

  /// See kube::ListWatchHandler. A pod that cannot be read waits on as it was last known.
  void OnReplaceBegin() override;
  void OnReplaceEnd(const std::string& resource_version) override;
  void OnUpsert(model::Pod pod) override;
  void OnUnreadable(const kube::UnreadableObject& pod) override;
  void OnDelete(model::Pod pod) override;
  /// Not needed: a round begins with what is known.
  void OnHeard(const std::string&) override {}

 private:
  using Clock = kube::Timer::Clock;

  // Whether a round may find something to do.
  bool IsDue();
  // Plans once, and writes the steps.
  void PlanOnce();
  // Returns whether the step was written.
  bool WriteStep(const planner::Step& step);

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  Patcher* const patcher_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  PlannerMetrics* const metrics_;

  // Of the last round: when it began, how long it planned, and what it has seen.
  Clock::time_point planned_;
  Clock::duration took_{};
  std::uint64_t generation_ = 0;

  // Guards what follows, which both threads use.
  std::mutex mutex_;
  planner::Planner planner_;
  bool listed_ = false;
  // Whether a waiting pod has changed since the last round.
  bool changed_ = false;
};

}  // namespace berth::controller
