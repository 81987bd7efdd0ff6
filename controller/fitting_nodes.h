#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "controller/free_devices.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::controller {

/// A node that was refused and has come to fit.
struct Recovery {
  model::NodeIndex node = 0;
  std::chrono::steady_clock::time_point at;
};

/// Which nodes fit the pods of one shape (SchedulingEngine::ShapeOf), and which of them have come
/// to fit lately. Takes 24 bytes a node. No I/O, no clock; not thread-safe.
class FittingNodes {
 public:
  using Clock = std::chrono::steady_clock;

  /// How long a recovery is remembered. After as long kube-scheduler tries every pod again by
  /// itself (flushUnschedulablePodsLeftover in pkg/scheduler/backend/queue/scheduling_queue.go).
  static constexpr std::chrono::minutes kRemembered{5};

  /// `pod` is any pod of the shape.
  FittingNodes(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
               const model::Pod& pod);

  /// Judges what may have changed since the last call. `time` is the policies' time. What fits at
  /// the first call has not recovered.
  void Judge(const model::ClusterView& view, model::Time time, Clock::time_point now);

  /// As of the last Judge(), for nodes below end().
  bool Fits(model::NodeIndex node) const;
  model::NodeIndex end() const { return static_cast<model::NodeIndex>(verdicts_.size()); }

  /// On how many nodes a pod is refused for the reason.
  std::size_t Refused(policies::scheduling::ReasonId reason) const;

  /// The nodes that fit and were refused for the reason before, the latest recovery last.
  std::span<const Recovery> Recoveries(policies::scheduling::ReasonId former) const;

  const DeviceRequests& requests() const { return requests_; }

 private:
  struct Verdict {
    std::uint64_t version = 0;
    model::Time valid_until = model::kForever;
    /// kNoReason: it fits.
    policies::scheduling::ReasonId reason = policies::scheduling::kNoReason;
  };

  void JudgeNodes(const model::ClusterView& view, model::Time time, Clock::time_point now);
  void Replace(model::NodeIndex node, const Verdict& verdict, Clock::time_point now);
  void Forget(Clock::time_point now);

  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_;
  const model::Pod sample_;
  const DeviceRequests requests_;

  bool judged_ = false;
  std::uint64_t generation_ = 0;
  model::Time time_ = model::kNoTime;
  /// PreparedPod::key(): what the policies took from the view as a whole.
  std::string view_key_;
  std::vector<Verdict> verdicts_;  // by node index
  std::map<policies::scheduling::ReasonId, std::size_t> refused_;
  std::map<policies::scheduling::ReasonId, std::vector<Recovery>> recoveries_;  // none is empty
};

}  // namespace berth::controller
