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
/// A node may be refused to some pods of a shape and not to others, but only because its devices
/// are kept for gangs (KeptPolicy). It fits, as the word is used here, if it fits those from which
/// nothing is kept.
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

  /// Returns whether the node fitted at the last Judge(), whatever is kept there. `node` must be
  /// below end().
  bool Fits(model::NodeIndex node) const;

  /// Returns one more than the greatest index that the last Judge() saw.
  model::NodeIndex end() const { return static_cast<model::NodeIndex>(verdicts_.size()); }

  /// Returns whether `reason` is that of nodes that are kept for gangs. From which pods they are
  /// kept, and how many of their devices pods take that are on their way there, only extenders
  /// know.
  bool IsOfKept(policies::scheduling::ReasonId reason) const;

  /// Returns how many nodes were refused for `reason` at the last Judge(). 0 if IsOfKept().
  std::size_t Refused(policies::scheduling::ReasonId reason) const;

  /// Returns the nodes that fit and were refused for `former` right before, the latest recovery
  /// last. If IsOfKept(`former`), these are nodes that fit all pods of the shape. Valid until the
  /// next Judge().
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
    // kNoReason: the node fits pods from which nothing is kept.
    policies::scheduling::ReasonId reason = policies::scheduling::kNoReason;
    // Why it is refused to others, because of what is kept; kNoReason: it is not.
    policies::scheduling::ReasonId kept = policies::scheduling::kNoReason;
  };

  // Returns a pod of the shape with that priority, prepared.
  policies::scheduling::PreparedPod Prepare(std::int32_t priority, const model::ClusterView& view,
                                            model::Time time);
  // Judges the nodes again whose verdict may have changed.
  void JudgeNodes(const model::ClusterView& view, model::Time time, Clock::time_point now);
  // Judges a node. `first` comes before all gangs, and `last` after all of them.
  Verdict JudgeNode(const model::NodeState& node, const policies::scheduling::PreparedPod& first,
                    const policies::scheduling::PreparedPod& last) const;
  // Stores a verdict, and notes a recovery if the node was refused and fits now.
  void Replace(model::NodeIndex node, const Verdict& verdict, Clock::time_point now);
  // Whether the node fits now the pods that it was refused to for `former`.
  bool FitsAgain(model::NodeIndex node, policies::scheduling::ReasonId former) const;
  // Drops recoveries that are too old, or whose node does not fit any more.
  void Forget(Clock::time_point now);

  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_;
  // Has what judgements depend on, and nothing else of the pod. Its priority is that of the last
  // Prepare().
  model::Pod sample_;
  const DeviceRequests requests_;

  // Whether Judge() was called, and the generation of the view and the time of the last call.
  bool judged_ = false;
  std::uint64_t generation_ = 0;
  model::Time time_ = model::kNoTime;
  // PreparedPod::key() of the pod that came last in that call. If it changes, all nodes are judged
  // again.
  std::string view_key_;
  std::vector<Verdict> verdicts_;  // by node index
  std::map<policies::scheduling::ReasonId, std::size_t> refused_;
  std::map<policies::scheduling::ReasonId, std::vector<Recovery>> recoveries_;  // none is empty
};

}  // namespace berth::controller
