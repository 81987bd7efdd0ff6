#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "planner/candidates.h"
#include "planner/planned_view.h"
#include "planner/topology.h"

namespace berth::planner {

/// Pods of a gang that are alike.
struct PodGroup {
  /// One of them, and the nodes for their shape.
  const model::Pod* pod = nullptr;
  Candidates* candidates = nullptr;
  std::size_t count = 0;
  /// Whether they ask for an accelerator. Only these are kept near each other and on one model: an
  /// MPI launcher has to find its place among nodes without accelerators.
  bool asks = true;
  /// The resources of the accelerators that each asks for, such as "nvidia.com/gpu".
  std::vector<std::string> devices = {};
};

/// Finds nodes for all pods of a gang at once, in the narrowest domain of the topology that holds
/// them. It does not try all combinations: of pods that differ, those that come first get the best
/// places, and the others may then be left without. Single-use, for one ledger; not thread-safe.
class GangPlacer {
 public:
  using Model = model::AcceleratorCatalog::Index;
  using Domain = Topology::Domain;
  /// For each group, a node for each of its pods; near nodes follow each other.
  using Places = std::vector<std::vector<model::NodeIndex>>;
  using Nodes = absl::flat_hash_set<model::NodeIndex>;

  /// Where the pods that ask for accelerators may go.
  struct Limits {
    /// Only nodes of this model.
    std::optional<Model> model = {};
    /// Only nodes of one domain of this level or a narrower one.
    std::optional<std::size_t> level = {};
    /// Only nodes of this domain. Null: all.
    const Domain* within = nullptr;
    /// Not this node.
    std::optional<model::NodeIndex> avoided = {};
    /// Where pods of the gang are already. The others come into the same domains if they fit there,
    /// the narrowest ones first.
    std::vector<model::NodeIndex> near = {};
  };

  /// The attempt in which the most pods fitted at the same time, the first of equal ones.
  struct Most {
    std::size_t pods = 0;
    /// The model that it was limited to.
    std::optional<Model> model = {};
  };

  /// Everything must outlive this. The candidates are those of `ledger`.
  GangPlacer(const Topology& topology, const PlannedView& ledger, std::vector<PodGroup> groups);

  /// Returns nodes for all pods, or nothing if they do not all fit at once.
  std::optional<Places> Place(const Limits& limits);
  /// What came nearest of the attempts that failed.
  const Most& most() const { return most_; }

  /// The models on which the pods fit at all, the best first. Empty if no pods ask for any.
  std::vector<Model> Models();

  /// Nodes to keep for the pods until these fit: nodes of one domain on which all of them could run
  /// if nobody else did. The domain is that of `kept`, where room was kept last time, as long as it
  /// would do, and else the one in which the most pods fit now, or that has the most free devices.
  /// Its nodes are those on which the most pods fit now, and of equal ones those with the most free
  /// devices; those in `kept` have a lead of half of what a pod asks for. Pods that ask for no
  /// accelerator beside others that do get no node, and if pods differ, some may be left without
  /// one. Nothing if it is known that no nodes would do even if nobody else ran there.
  std::optional<Places> PlaceIdle(const Limits& limits, const Nodes& kept);

 private:
  class Trial;
  class Picks;

  std::optional<Places> PlaceInAny(const Limits& limits);
  // Has only nodes allowed that share a domain of that level with one of the others.
  void AllowAround(const std::vector<model::NodeIndex>& others, std::size_t level);
  // How many pods of the group fit the node now.
  std::int64_t Room(std::size_t group, model::NodeIndex node, const Limits& limits);
  // The same if no pod was there.
  std::int64_t IdleRoom(std::size_t group, model::NodeIndex node, const Limits& limits);
  bool Allows(std::size_t group, model::NodeIndex node, const Limits& limits) const;
  std::size_t Capacity(std::size_t group, const Domain& domain, const Limits& limits);
  // The sum over the nodes of the domain, up to the group's size. `room(node)`.
  template <typename RoomOf>
  std::size_t Sum(const Domain& domain, std::size_t most, RoomOf room) const;
  // The domains of one level in which to try, those that just hold the first group first.
  std::vector<const Domain*> Holding(std::size_t level, const Limits& limits);
  std::optional<Places> Try(const Domain& domain, const Limits& limits);
  // Whether each group would fit there if no pods did, and all of them by what they ask for.
  bool HoldsIdle(const Domain& domain, const Limits& limits);
  bool HoldsSumIdle(const Domain& domain, const Limits& limits);
  std::size_t WidestLevel(const Limits& limits) const;
  void NoteMost(std::size_t pods, const Limits& limits);

  const Topology& topology_;
  const PlannedView& ledger_;
  const std::vector<PodGroup> groups_;
  // What is known of the ledger, by group and node; -1: not known yet.
  std::vector<std::vector<std::int64_t>> room_;
  std::vector<std::vector<std::int64_t>> idle_room_;
  Most most_ = {};
  // By node: whether it is allowed. Empty: all are.
  std::vector<bool> allowed_;
};

}  // namespace berth::planner
