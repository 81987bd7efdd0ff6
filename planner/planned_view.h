#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/cluster_view.h"
#include "model/pod.h"

namespace berth::planner {

/// A cluster in which pods are booked that are not bound yet. It refers to another view, in which
/// all pods must be whole (see model::NodeState::used), and must not outlive it. Not thread-safe.
class PlannedView final : public model::ClusterView {
 public:
  /// Nothing is booked yet.
  explicit PlannedView(const model::ClusterView& view) : view_(view) {}

  /// Books `pod` on the node at `index`, which must exist, as if it were bound there.
  void Book(const model::Pod& pod, model::NodeIndex index);

  /// The nodes on which pods were booked, in the order of the calls; a node may be listed several
  /// times. It only grows, so a caller can follow it by its size.
  const std::vector<model::NodeIndex>& bookings() const { return bookings_; }

  /// Whether a pod was booked on the node.
  bool HasBookings(model::NodeIndex index) const { return changed_.contains(index); }

  /// See model::ClusterView. At() shows what is booked. The generation is that of the other view.
  model::NodeIndex EndIndex() const override { return view_.EndIndex(); }
  const model::NodeState* At(model::NodeIndex index) const override;
  std::optional<model::NodeIndex> Find(std::string_view name) const override {
    return view_.Find(name);
  }
  const model::PoolStats& Pools() const override { return view_.Pools(); }
  /// Nothing: what is kept is booked here, too. The annotations of nodes tell what an earlier plan
  /// has kept, and would count it a second time.
  std::optional<model::PlanningPlace> LastKept(const model::PlanningPlace&) const override {
    return std::nullopt;
  }
  std::uint64_t Generation() const override { return view_.Generation(); }

 private:
  const model::ClusterView& view_;
  absl::flat_hash_map<model::NodeIndex, model::NodeState> changed_;
  std::vector<model::NodeIndex> bookings_;
};

}  // namespace berth::planner
