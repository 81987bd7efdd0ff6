#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/free_devices.h"
#include "controller/pod_shape.h"
#include "controller/waiting_pod.h"
#include "kube/unreadable_object.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::controller {

/// A pod to nudge. A plain value.
struct NudgeTarget {
  std::string namespace_;
  std::string name;
  /// The pod of this UID only, even if another has its name by now.
  std::string uid;
};

/// Decides which waiting pods kube-scheduler shall try again, and when.
///
/// kube-scheduler retries a refused pod when its node changes. But it may then ask an extender that
/// has not seen the change yet. The event is used up, and the pod waits for the next one, or for
/// five minutes (flushUnschedulablePodsLeftover in
/// pkg/scheduler/backend/queue/scheduling_queue.go). So there is a cause to nudge a pod if
/// kube-scheduler reports that nodes were refused for a reason of Berth's, and
/// - a node that was refused for that reason fits the pod now, or would if nothing were kept there
///   for gangs: the pod may be one from which nothing is kept; or
/// - the report counts more nodes refused for that reason than there are.
///
/// A pod with a cause is due if such a node has devices for it that are free, and not promised to a
/// pod that was nudged before. The highest priority comes first, then the oldest pod. A promise
/// ends when the pod is bound or gone, when it was tried in vain, and else after a while
/// (WaitingPod::kTries). A pod that was tried is not nudged for the same cause again. A pod of
/// which nothing is heard is nudged again, up to four times in all.
///
/// Nudger owns it. Tell it of the waiting pods, call Judge() from time to time, and then TakeDue()
/// until it returns nothing. No I/O, no clock. Not thread-safe.
class NudgePlan {
 public:
  using Clock = std::chrono::steady_clock;

  /// How many pods may wait at once for their try after a nudge. The limit leaves kube-scheduler
  /// time for other pods.
  static constexpr std::size_t kMaxOutstanding = 100;

  /// How many shapes of pods are followed at most; each takes 24 bytes for each node. Pods of
  /// further shapes are left to kube-scheduler's own retries.
  static constexpr std::size_t kMaxShapes = 128;
  /// Longest key of a shape in bytes. Users write what it is made of. Pods with a longer one are
  /// not followed either, nor are those that are too large for one of them to be kept for its shape
  /// (policies::fit::ExcessOf()).
  static constexpr std::size_t kMaxShapeBytes = 64 * 1024;

  /// `engine` judges the pods.
  explicit NudgePlan(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine);

  /// An unassigned pod, new or changed, as the list-and-watch reports it. A pod that is bound, has
  /// ended or asks for nothing of the catalogue is removed.
  void Upsert(const model::Pod& pod, Clock::time_point now);
  /// The pod is gone. Has no effect if it is unknown, or if another pod has its name by now.
  void Remove(const model::Pod& pod);

  /// The pod cannot be read. It waits on as it was last known, unless it is another pod of the same
  /// name: then the former one is removed.
  void Keep(const kube::UnreadableObject& pod);

  /// A full list begins, or begins again. EndReplace() then removes the pods that were neither
  /// upserted nor kept since.
  void BeginReplace() { ++epoch_; }
  void EndReplace();

  /// Judges the nodes that may have changed since the last call, and decides which pods are due.
  /// `time` is the time for policies, `now` that of waits. All calls must be about the same
  /// cluster.
  void Judge(const model::ClusterView& view, model::Time time, Clock::time_point now);

  /// Returns the first pod that is due, and counts it as nudged at `now`; nothing if there is none.
  /// A pod about which kube-scheduler has reported something new since Judge() is skipped.
  std::optional<NudgeTarget> TakeDue(Clock::time_point now);

  /// Returns how many pods wait.
  std::size_t pods() const { return waiting_.size(); }

 private:
  // A pod, and the last list in which it was.
  struct Entry {
    WaitingPod pod;
    std::uint32_t epoch = 0;
  };
  using Entries = std::map<std::string, Entry>;  // by "<namespace>/<name>"

  // A pod that is due, and the node on which devices were promised to it.
  struct Due {
    std::string key;
    std::string uid;
    model::NodeIndex node = 0;
  };

  // Returns the record of the pod; a new one if it is unknown or has another UID than before.
  WaitingPod& PodOf(const model::Pod& pod, Clock::time_point now);
  // Returns the shape of the pod; null if it is not followed.
  PodShape* ShapeOf(const model::Pod& pod);
  // Changes the shape of a pod, and drops a shape that no pod has any more.
  void SetShape(WaitingPod& pod, PodShape* shape);
  // Removes a pod, and its shape if no other pod has it. Returns the next pod.
  Entries::iterator Erase(Entries::iterator entry);
  // Fills due_.
  void PlanDue(const model::ClusterView& view, Clock::time_point now);
  // Returns the pods that have a cause and are not outstanding, the first to nudge first.
  std::vector<const WaitingPod*> Contenders(Clock::time_point now);

  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_;
  // By PodShape::key(). At most kMaxShapes, each with at least one pod.
  std::map<std::string, std::unique_ptr<PodShape>> shapes_;
  Entries waiting_;
  std::uint32_t epoch_ = 0;  // counts lists
  std::deque<Due> due_;      // the first to nudge first
};

}  // namespace berth::controller
