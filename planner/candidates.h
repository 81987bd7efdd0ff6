#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "planner/planned_view.h"
#include "planner/worths.h"
#include "policies/scheduling/engine.h"
#include "policies/scheduling/rank.h"

namespace berth::planner {

/// The nodes that fit pods of one shape, the best first, while pods are booked one after the other.
///
///   Candidates candidates(engine, pod, view, now);
///   if (const auto node = candidates.Best()) view.Book(pod, *node);
///   candidates.Best();  // knows what was booked meanwhile, whoever did it
///
/// A node fits if kube-scheduler's filters let the pod run there (policies/fit) and no policy of
/// Berth's refuses it. The first Best() judges all nodes, later ones only those on which pods were
/// booked since, and what is remembered of earlier plans it does not judge again.
///
/// `engine` and `view` must outlive this. Not thread-safe.
class Candidates {
 public:
  /// `pod` is any pod of the shape (ShapeOf()).
  Candidates(const policies::scheduling::SchedulingEngine& engine, const model::Pod& pod,
             const PlannedView& view, model::Time now);

  /// Identifies the shape and what the policies read of the view. Of equal keys, nodes of the same
  /// version are worth the same.
  std::string Key() const;
  /// What is remembered under Key(). Call it before Best() and Fits(). By default nothing is.
  /// `idle`: for FitsIdle().
  void Remember(std::shared_ptr<Worths> memory, std::shared_ptr<Worths> idle = nullptr) {
    memory_ = std::move(memory);
    memory_->Open(now_, view_.EndIndex());
    idle_ = std::move(idle);
    idle_opened_ = false;
  }

  /// Returns the node that fits best but for those in `avoided`; nothing if no other node fits. Of
  /// nodes that are equally good, the one with the lowest index comes first, which suits packing.
  std::optional<model::NodeIndex> Best(std::span<const model::NodeIndex> avoided = {});

  /// Returns whether a pod of the shape fits the node now. Judges this node alone.
  bool Fits(model::NodeIndex node) { return Judge(node) > 0; }

  using Worth = policies::scheduling::Worth;
  /// Returns what the node is worth now; 0 if the pod does not fit. Judges this node alone.
  Worth Of(model::NodeIndex node) { return Judge(node); }
  /// Whether a node of that worth, which is not 0, comes behind all that have no such flaw.
  static bool ComesLast(Worth worth) { return worth < policies::scheduling::WorthOf({}) + 1; }

  /// Returns whether pods of the shape would fit the node if no pod were there, as far as that does
  /// not depend on how much they ask for. Policies refuse no node for what its pods use, but where
  /// devices are kept for a gang, which a PlannedView does not show.
  bool FitsIdle(model::NodeIndex node);

 private:
  // Ordered by worth, then by ascending index.
  struct Candidate {
    Worth worth;
    model::NodeIndex node;

    bool operator<(const Candidate& other) const {
      return worth != other.worth ? worth < other.worth : node > other.node;
    }
  };

  // Both return 0 if the pod does not fit.
  Worths::Dated Judge(const model::NodeState& node) const;
  Worth Judge(model::NodeIndex node);
  // Judges all nodes, if that was not done yet.
  void JudgeAll();
  // Judges the nodes on which pods were booked since the last call.
  void CatchUp();

  const PlannedView& view_;
  // Has what judgements depend on.
  const model::Pod pod_;
  const policies::scheduling::PreparedPod prepared_;
  const model::Time now_;
  std::shared_ptr<Worths> memory_;
  std::shared_ptr<Worths> idle_;
  bool idle_opened_ = false;
  // Present worth of each node, by index. Empty until all are judged.
  std::vector<Worth> worth_;
  // A node is in it once for each worth that it had; only an entry with the present one counts.
  std::priority_queue<Candidate> queue_;
  // How many of view_.bookings() are considered.
  std::size_t bookings_ = 0;
};

}  // namespace berth::planner
