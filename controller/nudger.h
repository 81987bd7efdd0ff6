#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cluster/snapshot.h"
#include "controller/nudge_plan.h"
#include "controller/patcher.h"
#include "controller/write_observer.h"
#include "kube/list_watch.h"
#include "kube/timer.h"
#include "policies/scheduling/engine.h"

namespace berth::controller {

/// Nudges the pods that are due according to NudgePlan: it writes an annotation of each, because
/// kube-scheduler tries a pod again when anything about it changes.
///
/// It takes the unassigned pods from a list-and-watch, which calls the On... methods on its own
/// thread. Run() blocks, so give it another thread; it ends when the timer is stopped. Controller
/// owns it. These two threads may use it at the same time.
class Nudger final : public kube::ListWatchHandler<model::Pod> {
 public:
  /// What to write, and how fast.
  struct Options {
    /// Its full name: "berth.dev/nudged-at".
    std::string annotation;
    /// Returns whether this controller leads. Asked right before each write.
    std::function<bool()> may_write;
    /// The time for policies. It is also the value that is written.
    std::function<model::Time()> now;
    /// From one write to the next: 50 a second.
    std::chrono::milliseconds pace{20};
    /// From one judgement to the next, and from one look to the next while no pod is due.
    std::chrono::milliseconds interval{250};
  };

  /// The snapshot has the nodes and the bound pods. Everything pointed at must outlive this.
  Nudger(Options options, std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
         const cluster::Snapshot* snapshot, Patcher* patcher, kube::Timer* timer,
         WriteObserver* observer);

  /// Judges as long as the snapshot is synced, and writes while this controller leads. A candidate
  /// judges, too, so that it knows which nodes have recovered when it begins to lead. Each write is
  /// reported to `observer`, on this thread.
  void Run();

  /// A full list of the waiting pods begins, and has ended. Pods that were not in it are forgotten.
  void OnReplaceBegin() override;
  void OnReplaceEnd(const std::string& resource_version) override;

  /// A pod waits, or has changed while it waits.
  void OnUpsert(model::Pod pod) override;

  /// A pod cannot be read; it waits on as it was last known.
  void OnUnreadable(const kube::UnreadableObject& pod) override;

  /// A pod is gone, bound, or has ended.
  void OnDelete(model::Pod pod) override;

  /// Not needed: the plan does not depend on how fresh the list is.
  void OnHeard(const std::string&) override {}

 private:
  // Has the plan judge, unless it did within the last `interval`.
  void Judge();
  // Nudges the first pod that is due. Returns whether there was one.
  bool NudgeOne();

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  Patcher* const patcher_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;

  // Time of the last judgement.
  std::optional<kube::Timer::Clock::time_point> judged_;

  // Guards plan_, which both threads use.
  std::mutex mutex_;
  NudgePlan plan_;
};

}  // namespace berth::controller
