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

/// A node that was refused before and fits now.
struct Recovery {
  /// Its index in the view.
  model::NodeIndex node = 0;
  /// When Judge() noticed it.
  std::chrono::steady_clock::time_point at;
};

/// Which nodes fit the pods of one shape (SchedulingEngine::ShapeOf()), and which of them have
/// begun to fit lately. PodShape owns it.
///
/// Judge() keeps a verdict for each node, and asks the engine only where the verdict may have
/// changed: the node is new or has changed, time may have changed the verdict, or the policies look
/// at something of the whole cluster that has changed. This takes 24 bytes for each node. No I/O,
/// no clock. Not thread-safe.
class FittingNodes {
 public:
  using Clock = std::chrono::steady_clock;

  /// How long a recovery is remembered. After this time kube-scheduler tries every pod again by
  /// itself (flushUnschedulablePodsLeftover in pkg/scheduler/backend/queue/scheduling_queue.go).
  static constexpr std::chrono::minutes kRemembered{5};

  /// `pod` is any pod of the shape, and not too large (policies::fit::ExcessOf()). Nothing is
  /// judged yet.
  FittingNodes(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
               const model::Pod& pod);

  /// Judges the nodes of `view` whose verdict may have changed since the last call, and forgets old
  /// recoveries. `time` is the time for policies, `now` that of recoveries. All calls must be about
  /// the same cluster. Nodes that fit at the first call do not count as recovered. Looks at no node
  /// if neither the view nor `time` has changed since the last call.
  void Judge(const model::ClusterView& view, model::Time time, Clock::time_point now);

  /// Returns whether the node fitted at the last Judge(). `node` must be below end().
  bool Fits(model::NodeIndex node) const;

  /// Returns one more than the greatest index that the last Judge() saw.
  model::NodeIndex end() const { return static_cast<model::NodeIndex>(verdicts_.size()); }

  /// Returns how many nodes were refused for `reason` at the last Judge().
  std::size_t Refused(policies::scheduling::ReasonId reason) const;

  /// Returns the nodes that fit and were refused for `former` right before, the latest recovery
  /// last. Valid until the next Judge().
  std::span<const Recovery> Recoveries(policies::scheduling::ReasonId former) const;

  /// Returns what each pod of the shape asks for.
  const DeviceRequests& requests() const { return requests_; }

 private:
  // What the engine said of a node.
  struct Verdict {
    // Version of the node's state that was judged.
    std::uint64_t version = 0;
    // From this time on, the verdict may change although the node does not.
    model::Time valid_until = model::kForever;
    // kNoReason: the node fits.
    policies::scheduling::ReasonId reason = policies::scheduling::kNoReason;
  };

  // Judges the nodes again whose verdict may have changed.
  void JudgeNodes(const model::ClusterView& view, model::Time time, Clock::time_point now);
  // Stores a verdict, and notes a recovery if the node was refused and fits now.
  void Replace(model::NodeIndex node, const Verdict& verdict, Clock::time_point now);
  // Drops recoveries that are too old, or whose node does not fit any more.
  void Forget(Clock::time_point now);

  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_;
  // Has what judgements depend on, and nothing else of the pod.
  const model::Pod sample_;
  const DeviceRequests requests_;

  // Whether Judge() was called, and the generation of the view and the time of the last call.
  bool judged_ = false;
  std::uint64_t generation_ = 0;
  model::Time time_ = model::kNoTime;
  // PreparedPod::key() of that call. If it changes, all nodes are judged again.
  std::string view_key_;
  std::vector<Verdict> verdicts_;  // by node index
  std::map<policies::scheduling::ReasonId, std::size_t> refused_;
  std::map<policies::scheduling::ReasonId, std::vector<Recovery>> recoveries_;  // none is empty
};

}  // namespace berth::controller
