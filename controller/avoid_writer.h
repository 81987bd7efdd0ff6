#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "cluster/snapshot.h"
#include "controller/avoid_plan.h"
#include "controller/patcher.h"
#include "controller/retries.h"
#include "controller/write_observer.h"
#include "kube/list_watch.h"
#include "kube/timer.h"
#include "kube/unreadable_object.h"
#include "model/pod.h"
#include "model/time.h"

namespace berth::controller {

/// Notes on nodes whose pods have failed there, by the annotation `avoid`, so that the next pod of
/// the same Job comes last to the node (policies/scheduling/avoid.h). Only pods count that ask for
/// a resource of the catalogue, that an object such as a Job controls, and that failed by
/// themselves: a pod that was drained, preempted, evicted or deleted says nothing of its node, even
/// if its program ends with an error when it is told to end. Pods that kubelet refused to run, as
/// when the device plugin fails, count.
///
/// It takes the failed pods from a list-and-watch, which calls the On... methods on its own thread,
/// while Run() blocks another one. What had failed before the first list is not noted, because
/// nobody knows when that was. Controller owns it.
class AvoidWriter final : public kube::ListWatchHandler<model::Pod> {
 public:
  /// Field selector of the list-and-watch: the pods that failed on a node.
  static constexpr char kSelector[] = "spec.nodeName!=,status.phase=Failed";

  /// For how long, and how fast.
  struct Options {
    /// 0: Run() returns at once.
    model::Duration avoid_for{0};
    /// The full name of the annotation: "berth.dev/avoid".
    std::string annotation;
    /// Returns whether this controller leads. Asked right before each write.
    std::function<bool()> may_write;
    /// The time by which entries expire.
    std::function<model::Time()> now;
    /// From one write to the next: 20 a second.
    std::chrono::milliseconds pace{50};
    /// From one look at the snapshot to the next while there is nothing to do.
    std::chrono::milliseconds interval{250};
  };

  /// The snapshot must keep the UIDs of nodes. Everything pointed at must outlive this.
  AvoidWriter(Options options, const cluster::Snapshot* snapshot, Patcher* patcher,
              kube::Timer* timer, WriteObserver* observer);

  /// Writes annotations while this controller leads and the snapshot is synced, and takes away what
  /// has expired. Returns when the timer is stopped. Each write is reported to `observer`, on this
  /// thread. A node that stays as it is is tried again after waits that double.
  void Run();

  /// See kube::ListWatchHandler.
  void OnReplaceBegin() override;
  void OnReplaceEnd(const std::string& resource_version) override;
  void OnUpsert(model::Pod pod) override;
  /// What it was nobody knows.
  void OnUnreadable(const kube::UnreadableObject&) override {}
  void OnDelete(model::Pod pod) override;
  void OnHeard(const std::string&) override {}

 private:
  // Changes the annotation of one node, if any is due. Returns whether a write was tried.
  bool WriteOne();
  std::optional<AvoidChange> NextChange();

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  Patcher* const patcher_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  // The keys are names of nodes.
  Retries retries_;

  // Guards what follows, which both threads use.
  std::mutex mutex_;
  // UIDs of the failed pods that exist, and those of the list under way.
  std::set<std::string> known_;
  std::set<std::string> listed_;
  bool listing_ = false;
  bool has_listed_ = false;
  FailedOwners failed_;
};

}  // namespace berth::controller
