#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "cluster/demand_table.h"
#include "cluster/kept_places.h"
#include "cluster/name_list.h"
#include "cluster/node_versions.h"
#include "cluster/pool_counts.h"
#include "model/cluster_view.h"
#include "model/time.h"

namespace berth::cluster {

/// The index that stands for a node that does not exist.
inline constexpr model::NodeIndex kNoNode = std::numeric_limits<model::NodeIndex>::max();

/// Nodes by index and by name, with what the pods on each node use. Owned by Snapshot. Not
/// thread-safe: the snapshot's lock guards it.
///
/// The name and the version of every node, which each request reads, are stored apart from the rest
/// of the node. Between two requests kube-scheduler fills the processor's caches with its own data,
/// so the time of a request depends on how much memory it touches.
///
/// A *place* is an index with its storage. A place belongs to one name while a node of that name
/// exists or somebody holds the place. Holding is necessary because pods may become known before
/// their node, and because a node may be deleted and created again while its pods live. A place
/// that nobody needs is reused for another name.
///
/// For a pod that becomes known before its node:
///
///   const model::NodeIndex place = table.Hold("gpu-7");  // At(place) is null
///   table.Add(place, demand);         // of 4 devices
///   table.Upsert(node, accelerator);  // At(place)->used has 4 devices
///   table.Subtract(place, demand);    // the pod ended
///   table.Release(place);
class NodeTable {
 public:
  /// Starts empty.
  NodeTable();
  /// Not copyable or movable: by_name_ points into the table.
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  /// One more than the greatest index. Places are numbered [0, end()); not all of them have a node.
  model::NodeIndex end() const { return static_cast<model::NodeIndex>(places_.size()); }

  /// The node at `index`, or null if there is none, also for an index beyond end(). Valid until the
  /// next change of the table.
  const model::NodeState* At(model::NodeIndex index) const;

  /// The index of the node with that name, or nullopt if no such node exists.
  std::optional<model::NodeIndex> Find(std::string_view name) const;

  /// The result of Find() for each of `names`, in their order, with kNoNode for those that do not
  /// exist. Faster than repeated Find(), most of all if the names come in the order of the table.
  std::vector<model::NodeIndex> FindAll(std::span<const std::string_view> names) const;

  /// The `version` of every node, by index.
  const NodeVersions& versions() const { return versions_; }

  /// The nodes and conditions of each pool, counted.
  const PoolCounts& pools() const { return pools_; }

  /// For which places the nodes keep devices.
  const KeptPlaces& kept() const { return kept_; }

  /// Increases with every change of a node and of what its pods use.
  std::uint64_t generation() const { return generation_; }

  /// Creates the node, or updates it and ends its quarantine, as of `now`, for RememberStatus(). An
  /// equal node is no change. If `uid_hash`, which stands for the UID, differs from before, it is
  /// another node of that name, of which nothing has been seen. Returns true if the node is new or
  /// its `accelerator` differs from before.
  bool Upsert(model::Node node, std::uint64_t uid_hash,
              model::AcceleratorCatalog::Index accelerator, model::Time now);

  /// Marks the node as existing but unreadable: it stays as it was last read. A node that was
  /// unknown is created with nothing but its name.
  void Quarantine(std::string_view name);

  /// Removes the node. What its pods use stays with the place while they hold it. No effect on an
  /// unknown name.
  void Remove(std::string_view name);

  /// Begins a list of all nodes. Nodes that are neither upserted nor quarantined until EndReplace()
  /// are removed by it. Calling BeginReplace() again starts the list over. Until EndReplace() the
  /// nodes from before remain.
  void BeginReplace() { ++epoch_; }
  /// Ends the list that BeginReplace() began.
  void EndReplace();

  /// Returns the place of `name`, which need not have a node, and reserves it. The place keeps its
  /// index until Release() was called as often as Hold().
  model::NodeIndex Hold(std::string_view name);
  /// Undoes one Hold() of this place.
  void Release(model::NodeIndex index);

  /// Adds what a pod takes to the `used`, `pods`, `ports` and `bound` of a held place. A demand
  /// that counts pods must stay where it is until Subtract().
  void Add(model::NodeIndex index, const Demand& demand);
  /// Undoes one Add() of the same demand. A resource whose sum is 0 is not listed, so that equal
  /// use compares equal however it came about.
  void Subtract(model::NodeIndex index, const Demand& demand);

 private:
  /// What is stored for an index besides name and version.
  struct Place {
    /// Calls of Hold() without their Release().
    std::uint32_t holds = 0;
    /// The value of epoch_ when the node was last upserted or quarantined.
    std::uint32_t epoch = 0;
    /// Of the node's UID, which most snapshots do not keep.
    std::uint64_t uid_hash = 0;
    model::NodeState state;
  };

  /// A name whose hash is already known.
  struct HashedName {
    std::string_view name;
    std::size_t hash = 0;
  };

  // Hashes and compares indices as the names of their places. The hash table thus takes four bytes
  // per node: that of a large cluster stays in the processor's caches, where a table of names would
  // not.
  struct ByName {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      // Converted to absl's own type: for std::string_view absl uses the standard library's hash,
      // which is slower.
      return absl::HashOf(absl::string_view(name.data(), name.size()));
    }
    std::size_t operator()(model::NodeIndex index) const { return (*this)(NameOf(index)); }
    std::size_t operator()(const HashedName& name) const { return name.hash; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return NameOf(a) == NameOf(b);
    }
    static std::string_view NameOf(std::string_view name) { return name; }
    static std::string_view NameOf(const HashedName& name) { return name.name; }
    std::string_view NameOf(model::NodeIndex index) const { return (*names)[index]; }

    const NameList* names;
  };

  // Whether there is a node at `index`, which must be below end().
  bool Exists(model::NodeIndex index) const { return versions_[index] != NodeVersions::kNone; }
  // Whether a node of that name exists at `index`, which may be any.
  bool IsAt(model::NodeIndex index, std::string_view name) const {
    return index < end() && Exists(index) && names_[index] == name;
  }
  // The index of the node with that name (std::string_view or HashedName), or kNoNode.
  template <typename Name>
  model::NodeIndex FindOne(const Name& name) const;
  // The place of `name`, which gets one if it has none.
  model::NodeIndex IndexOf(std::string_view name);
  // Removes the node at `index`, which must exist.
  void Remove(model::NodeIndex index);
  // Gives the node at `index` a new version.
  void Changed(model::NodeIndex index);
  // Makes the place available to other names if it has no node and nobody holds it.
  void FreeIfUnused(model::NodeIndex index);

  // All three by index.
  std::vector<Place> places_;
  NodeVersions versions_;
  NameList names_;

  // Places that belong to no name.
  std::vector<model::NodeIndex> free_;
  // Of all nodes that exist.
  PoolCounts pools_;
  KeptPlaces kept_;
  absl::flat_hash_set<model::NodeIndex, ByName, ByName> by_name_;
  std::uint64_t generation_ = 0;
  // The number of lists begun so far.
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
