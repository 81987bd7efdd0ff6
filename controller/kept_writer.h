#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cluster/snapshot.h"
#include "controller/kept_plan.h"
#include "controller/patcher.h"
#include "controller/retries.h"
#include "controller/write_observer.h"
#include "kube/timer.h"
#include "model/cluster_view.h"
#include "model/time.h"

namespace berth::controller {

/// Writes on nodes what the planner keeps there for gangs that wait, by the annotation `kept`, so
/// that the extender refuses these devices to pods that come later. It plans anew before each
/// write; see PlanKept().
///
/// Gangs come and go, so a node may often have to say something else. It is written again once the
/// snapshot shows the last write, but not within 2 s. A write that failed is tried again after
/// waits that double up to 5 min.
///
/// Controller owns it. Run() blocks, so give it a thread. Not thread-safe.
class KeptWriter {
 public:
  /// After this time without an echo of the watch, a write that has worked counts as lost. Until
  /// then the node is not written again, because nobody knows what it says.
  static constexpr std::chrono::seconds kLost{10};

  /// What to write, and how fast.
  struct Options {
    /// The full name of the annotation: "berth.dev/kept".
    std::string annotation;
    /// Returns what is kept; nothing while that is not known.
    std::function<std::optional<KeptByNode>()> kept;
    /// Returns whether this controller leads. Asked right before each write.
    std::function<bool()> may_write;
    /// The time by which entries expire.
    std::function<model::Time()> now;
    /// How long an entry holds without being renewed.
    model::Duration life = std::chrono::minutes(10);
    /// From one write to the next: 20 a second.
    std::chrono::milliseconds pace{50};
    /// From one look at the snapshot to the next while there is nothing to do.
    std::chrono::milliseconds interval{250};
  };

  /// The snapshot must keep the UIDs of nodes. Everything pointed at must outlive this.
  KeptWriter(Options options, const cluster::Snapshot* snapshot, Patcher* patcher,
             kube::Timer* timer, WriteObserver* observer);

  /// Writes annotations while this controller leads and the snapshot is synced. Returns when the
  /// timer is stopped. Each write is reported to `observer`, on this thread.
  void Run();

 private:
  using Clock = kube::Timer::Clock;

  // A write that has worked.
  struct Unseen {
    std::string text;
    Clock::time_point time;
  };

  // Changes the annotation of one node, if any is due. Returns whether a write was tried.
  bool WriteOne();
  // Returns the change that is due by the plan. Wrong entries come before renewals, and of each
  // those nodes whose turn was the longest ago: some that change all the time hold up no others.
  std::optional<KeptChange> NextChange();
  // Forgets the writes that the view shows, and those that are lost.
  void NoticeEchoes(const model::ClusterView& view, Clock::time_point now);

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  Patcher* const patcher_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  // The keys are names of nodes.
  Retries retries_;
  // What the snapshot does not show yet, by the same. No more than is written within kLost.
  std::map<std::string, Unseen> unseen_;
};

}  // namespace berth::controller
