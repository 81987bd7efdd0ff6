#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/free_devices.h"
#include "controller/pod_shape.h"
#include "controller/refusals.h"
#include "model/pod.h"
#include "model/time.h"

namespace berth::controller {

/// A pod that waits for a node: what kube-scheduler reports about it, how often it was nudged, and
/// whether there is a cause to nudge it (see NudgePlan, which owns it). Not thread-safe.
///
/// The life of a pod here:
///
///   kube-scheduler reports why nodes were refused        Update(), CheckReport()
///   a node has recovered, or the report is stale         HasCause()
///   devices of a node are free and are promised to it    TakeRoom()
///   it is nudged, and has kTries[n] to be tried          OnNudged(), IsOutstanding()
///   - a true report came: the cause is done with         CheckReport()
///   - no report came: it is nudged for the next time     HasCause()
///   - no report came after the last nudge                Expire()
///
/// It ends when the pod is bound or gone: NudgePlan then removes it.
class WaitingPod {
 public:
  using Clock = std::chrono::steady_clock;

  /// How long a pod has to be tried after its first nudge, its second, and so on. kube-scheduler
  /// itself backs off for up to 10 s by default, and up to 60 s in the chart. A pod that backs off
  /// longer than all of these needs no further nudge, because one of them has put it into the queue
  /// of pods that back off (moveToBackoffQ in pkg/scheduler/backend/queue/scheduling_queue.go).
  static constexpr std::array<std::chrono::seconds, 4> kTries = {
      std::chrono::seconds(2), std::chrono::seconds(7), std::chrono::seconds(20),
      std::chrono::seconds(10)};

  /// How long after its last nudge a pod counts as not nudged, even if it has tries left.
  static constexpr std::chrono::minutes kForgotten{1};

  /// A pod that waits since `now`. Nodes that recovered before are no cause.
  WaitingPod(const model::Pod& pod, Clock::time_point now);

  /// The pod is now as given. Reads kube-scheduler's report if it has changed.
  void Update(const model::Pod& pod, const policies::scheduling::ReasonTable& reasons,
              Clock::time_point now);

  /// The pod, as it was given to the constructor.
  const std::string& namespace_name() const { return namespace_; }
  const std::string& name() const { return name_; }
  const std::string& uid() const { return uid_; }

  /// The shape whose nodes are compared with the reports. Null: the shape is not followed, and
  /// there is never a cause. Not owned.
  PodShape* shape() const { return shape_; }
  void set_shape(PodShape* shape) { shape_ = shape; }

  /// Returns whether kube-scheduler has reported something since the last CheckReport().
  bool HasNewReport() const { return report_ == Report::kNew; }

  /// Compares a new report with what the shape knows. A report that counts no more refused nodes
  /// than there are is true: kube-scheduler has asked an extender that knew the same. Then all
  /// nudges before the report have had their effect. Any other report is stale. How many nodes are
  /// kept for gangs does not matter: the extender knows better.
  void CheckReport();

  /// Returns whether the pod was nudged and may still be tried. Until then the node's devices stay
  /// promised to it.
  bool IsOutstanding(Clock::time_point now) const;

  /// Promises these devices, in a new round. Only while IsOutstanding().
  void PromiseAgain(FreeDevices& free) const { free.Promise(node_, shape_->nodes().requests()); }

  /// Forgets nudges, and their causes, if the pod was nudged as often as it may be, or kForgotten
  /// ago.
  void Expire(Clock::time_point now);

  /// Returns whether there is a cause to nudge the pod, even if no node has room for it.
  bool HasCause(Clock::time_point now) const;

  /// Promises to the pod the devices of a node that is a cause to nudge it, and returns the node.
  /// Nothing if none has enough. Only if HasCause().
  std::optional<model::NodeIndex> TakeRoom(FreeDevices& free, Clock::time_point now) const;

  /// Records that the pod was nudged, for the node on which devices were promised to it.
  void OnNudged(model::NodeIndex node, Clock::time_point now);

  /// Returns whether this pod is nudged before `other`: it has a higher priority, or the same and
  /// is older.
  bool ComesBefore(const WaitingPod& other) const;

 private:
  // State of the last report; true if it was true when it was checked.
  enum class Report { kNew, kTrue, kStale };

  // Forgets nudges; what happened before the last one is no cause any more.
  void Settle();
  // Returns whether a stale report is a cause: it is old enough for extenders to know better, and
  // not too old.
  bool HasStaleReport(Clock::time_point now) const;

  std::string namespace_;
  std::string name_;
  std::string uid_;
  std::int32_t priority_ = 0;
  model::Time created_ = model::kNoTime;
  PodShape* shape_ = nullptr;

  // Of the last report: a hash of its text, what it counts, and when it came.
  std::size_t message_hash_ = 0;
  std::vector<Refusals> refusals_;
  Clock::time_point reported_;
  Report report_ = Report::kTrue;

  // Events before this time are no cause.
  Clock::time_point settled_;
  // Nudges since settled_: their number, the last one, and its node.
  std::size_t nudges_ = 0;
  Clock::time_point nudged_;
  model::NodeIndex node_ = 0;
};

}  // namespace berth::controller
