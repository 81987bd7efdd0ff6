#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "cluster/snapshot.h"
#include "controller/retries.h"
#include "controller/taint_plan.h"
#include "controller/taint_writer.h"
#include "controller/write_observer.h"
#include "kube/timer.h"
#include "model/time.h"

namespace berth::controller {

/// Keeps Berth's taint of all nodes as PlanTaints() says, one node after the other. It plans anew
/// before each write, so a breaker that trips stops it at once. After a write, successful or not,
/// the node is tried again after 2 s if the snapshot still has not what was written, and then after
/// waits that double up to 5 min. A node that flaps is therefore changed ever more seldom, and the
/// more so the sooner it flaps again.
///
/// Controller owns it. Run() blocks, so give it a thread. Not thread-safe.
class NodeTainter {
 public:
  /// Which nodes get the taint, and how fast.
  struct Options {
    TaintRules rules;
    /// Returns whether this controller leads. Asked right before each write.
    std::function<bool()> may_write;
    /// The time by which conditions are judged.
    std::function<model::Time()> now;
    /// From one write to the next: 20 a second.
    std::chrono::milliseconds pace{50};
    /// From one look at the snapshot to the next while there is nothing to do.
    std::chrono::milliseconds interval{250};
  };

  /// The snapshot must keep the taint and the UIDs of nodes. `writer` must write the same taint.
  /// Everything must outlive this.
  NodeTainter(Options options, const cluster::Snapshot* snapshot, TaintWriter* writer,
              kube::Timer* timer, WriteObserver* observer);

  /// Writes taints while this controller leads and the snapshot is synced. Returns when the timer
  /// is stopped. Each write is reported to `observer`, on this thread.
  void Run();

 private:
  // Changes the taint of one node, if any is due. Returns whether a write was tried.
  bool WriteOne();
  // Returns the first change that is due by the plan.
  std::optional<TaintChange> NextChange();

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  TaintWriter* const writer_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  // The keys are names of nodes.
  Retries retries_;
  // Nodes that were given the taint a moment ago; see PlanTaints().
  std::set<std::string> written_;
};

}  // namespace berth::controller
