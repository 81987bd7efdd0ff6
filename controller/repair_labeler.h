#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "cluster/snapshot.h"
#include "controller/patcher.h"
#include "controller/repair_plan.h"
#include "controller/retries.h"
#include "controller/write_observer.h"
#include "kube/timer.h"
#include "model/time.h"

namespace berth::controller {

/// Keeps the label that lets nodes be repaired as PlanRepairs() returns it, one node after the
/// other; after each write it plans anew, so that too many nodes that are away stop it at once.
/// After a write, successful or not, the node is tried again after 2 s if the snapshot still has
/// not what was written, and then after waits that double up to 5 min. Giving the label and taking
/// it away have waits of their own.
///
/// Controller owns it. Run() blocks, so give it a thread. Not thread-safe.
class RepairLabeler {
 public:
  /// Which nodes get the label, and how fast.
  struct Options {
    RepairRules rules;
    /// Returns whether this controller leads. Asked right before each write.
    std::function<bool()> may_write;
    /// The time by which conditions are judged.
    std::function<model::Time()> now;
    /// From one write to the next: 20 a second.
    std::chrono::milliseconds pace{50};
    /// From one look at the snapshot to the next while there is nothing to do.
    std::chrono::milliseconds interval{250};
  };

  /// The snapshot must keep what PlanRepairs() reads. Everything must outlive this.
  RepairLabeler(Options options, const cluster::Snapshot* snapshot, Patcher* patcher,
                kube::Timer* timer, WriteObserver* observer);

  /// Writes labels while this controller leads and the snapshot is synced. Returns when the timer
  /// is stopped. Each write is reported to `observer`, on this thread.
  void Run();

 private:
  // Changes the label of one node, if any is due. Returns whether a write was tried.
  bool WriteOne();
  // Returns the first change that is due by the plan.
  std::optional<RepairChange> NextChange();

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  Patcher* const patcher_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  // The keys are names of nodes, with a '-' behind those that lose the label.
  Retries retries_;
};

}  // namespace berth::controller
