#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
/// pkg/scheduler/backend/queue/scheduling_queue.go). So a pod that kube-scheduler reports as
/// refused for some reason is due several times over the next half minute
///   - when a node that was refused for that reason comes to fit it, and
///   - when the report counts more nodes refused for it than there are.
///
/// No I/O, no clock; not thread-safe.
class NudgePlan {
 public:
  using Clock = std::chrono::steady_clock;

  /// A pod is due so long after a node came to fit it. kube-scheduler itself backs off up to 10 s.
  static constexpr std::chrono::seconds kDelays[] = {
      std::chrono::seconds(1), std::chrono::seconds(3), std::chrono::seconds(10),
      std::chrono::seconds(30)};

  /// Shapes of pods that are followed at most, each 24 bytes a node. More are left to
  /// kube-scheduler's own retries.
  static constexpr std::size_t kMaxShapes = 128;

  explicit NudgePlan(std::shared_ptr<const scheduling::SchedulingEngine> engine);
  ~NudgePlan();

  /// The unassigned pods, as a list-and-watch tells them. Those that ask for nothing of the
  /// catalogue have no place here.
  void Upsert(const model::Pod& pod, Clock::time_point now);
  void Remove(const model::Pod& pod);
  /// One that cannot be read waits on as it was last known; of another uid, it waits no more.
  void Keep(const kube::UnreadableObject& pod);
  void BeginReplace() { ++epoch_; }
  void EndReplace();

  /// Judges what may have changed since the last call. `time` is the policies' time, `now` that of
  /// the delays.
  void Judge(const model::ClusterView& view, model::Time time, Clock::time_point now);

  /// The oldest pod that is due, which then is not until its next delay.
  std::optional<NudgeTarget> TakeDue(Clock::time_point now);

  std::size_t pods() const { return waiting_.size(); }

 private:
  struct Blame;
  struct Shape;
  struct Waiting;

  std::vector<Blame> BlamedOn(const std::string& message) const;
  Shape* ShapeOf(const model::Pod& pod);
  void JudgeShape(Shape& shape, const model::ClusterView& view, model::Time time,
                  Clock::time_point now) const;
  static void CheckReport(Waiting& pod);
  static bool IsDue(const Waiting& pod, Clock::time_point now);
  void Release(Shape* shape);

  const std::shared_ptr<const scheduling::SchedulingEngine> engine_;
  std::map<std::string, std::unique_ptr<Shape>> shapes_;
  std::map<std::string, Waiting> waiting_;  // by "<namespace>/<name>"
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::controller
