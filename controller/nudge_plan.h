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

/// A pod to nudge.
struct NudgeTarget {
  std::string namespace_;
  std::string name;
  std::string uid;
};

/// Which waiting pods have kube-scheduler try again, and when.
///
/// kube-scheduler retries a refused pod when its node changes, but it may ask an extender that has
/// not seen the change yet; the event is used up then, and the pod waits for the next one or for
/// five minutes (flushUnschedulablePodsLeftover in
/// pkg/scheduler/backend/queue/scheduling_queue.go). So there is a cause to nudge a pod that
/// kube-scheduler reports as refused for some reason
///   - when a node that was refused for that reason comes to fit it, and
///   - when the report counts more nodes refused for it than there are.
///
/// Of these pods those are due for which such a node has devices that are free and not promised to
/// a pod that was nudged before: the highest priority first, then the oldest. Devices stop being
/// promised when the pod is bound or gone, when it was tried in vain, and otherwise after a while
/// (WaitingPod::kTries). A pod that was tried is not nudged for the same cause again; one of which
/// nothing is heard is, up to four times in all.
///
/// No I/O, no clock; not thread-safe.
class NudgePlan {
 public:
  using Clock = std::chrono::steady_clock;

  /// Pods that were nudged and may still be tried, at most: kube-scheduler has others to try.
  static constexpr std::size_t kMaxOutstanding = 100;

  /// Shapes of pods that are followed at most, each 24 bytes a node. More are left to
  /// kube-scheduler's own retries.
  static constexpr std::size_t kMaxShapes = 128;
  /// Bytes of what a shape is told by. Users write it; one of more is not followed either.
  static constexpr std::size_t kMaxShapeBytes = 64 * 1024;

  explicit NudgePlan(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine);

  /// The unassigned pods, as a list-and-watch tells them. Those that ask for nothing of the
  /// catalogue have no place here.
  void Upsert(const model::Pod& pod, Clock::time_point now);
  void Remove(const model::Pod& pod);
  /// One that cannot be read waits on as it was last known; of another uid, it waits no more.
  void Keep(const kube::UnreadableObject& pod);
  void BeginReplace() { ++epoch_; }
  void EndReplace();

  /// Judges what may have changed since the last call, and decides who is due. `time` is the
  /// policies' time, `now` that of the delays.
  void Judge(const model::ClusterView& view, model::Time time, Clock::time_point now);

  /// The first pod that is due, which then counts as nudged.
  std::optional<NudgeTarget> TakeDue(Clock::time_point now);

  std::size_t pods() const { return waiting_.size(); }

 private:
  struct Entry {
    WaitingPod pod;
    std::uint32_t epoch = 0;
  };
  using Entries = std::map<std::string, Entry>;  // by "<namespace>/<name>"

  struct Due {
    std::string key;
    std::string uid;
    model::NodeIndex node = 0;
  };

  WaitingPod& PodOf(const model::Pod& pod, Clock::time_point now);
  PodShape* ShapeOf(const model::Pod& pod);
  void SetShape(WaitingPod& pod, PodShape* shape);
  Entries::iterator Erase(Entries::iterator entry);
  void PlanDue(const model::ClusterView& view, Clock::time_point now);
  std::vector<const WaitingPod*> Contenders(Clock::time_point now);

  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_;
  std::map<std::string, std::unique_ptr<PodShape>> shapes_;
  Entries waiting_;
  std::uint32_t epoch_ = 0;
  std::deque<Due> due_;
};

}  // namespace berth::controller
