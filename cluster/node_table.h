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
#include "cluster/name_list.h"
#include "cluster/node_versions.h"
#include "cluster/pool_counts.h"
#include "model/cluster_view.h"

namespace berth::cluster {

/// Stands for a node that does not exist.
inline constexpr model::NodeIndex kNoNode = std::numeric_limits<model::NodeIndex>::max();

/// Nodes by index and by name, with what is used on each. Not thread-safe.
///
/// What a request asks of every node, its name and its version, is kept apart from the rest:
/// kube-scheduler has filled the processor's caches with other things since the last request, so
/// what counts is how much memory is touched.
///
/// A place belongs to a name for as long as the node exists or somebody holds the place: pods may
/// become known before their node, and a node may go and come back while its pods live. Places that
/// nobody needs are given to other names.
class NodeTable {
 public:
  NodeTable();
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  /// Places are numbered [0, end()).
  model::NodeIndex end() const { return static_cast<model::NodeIndex>(places_.size()); }

  /// The node there, or null where none is.
  const model::NodeState* At(model::NodeIndex index) const;

  /// The index of a node that exists.
  std::optional<model::NodeIndex> Find(std::string_view name) const;

  /// What Find says of each of `names`, kNoNode for nothing, in less time.
  std::vector<model::NodeIndex> FindAll(std::span<const std::string_view> names) const;

  /// The `version` of every node.
  const NodeVersions& versions() const { return versions_; }

  const PoolCounts& pools() const { return pools_; }

  /// Grows with every change.
  std::uint64_t generation() const { return generation_; }

  /// Makes the node exist, or brings it up to date; an equal node is no change. Whether it is new
  /// or of another accelerator than before.
  bool Upsert(model::Node node, model::AcceleratorCatalog::Index accelerator);

  /// The node exists, and what it is like now cannot be read: it stays as it was, marked so. One
  /// that was unknown has nothing but its name.
  void Quarantine(std::string_view name);

  /// The node exists no more. No effect on an unknown name.
  void Remove(std::string_view name);

  /// Begins a list of all nodes: those not upserted before EndReplace() are removed by it.
  /// Beginning again forgets the earlier beginning.
  void BeginReplace() { ++epoch_; }
  void EndReplace();

  /// The place of `name`, kept until it is released as often as it was held.
  model::NodeIndex Hold(std::string_view name);
  void Release(model::NodeIndex index);

  /// Adds `amount`, which may be negative, to what is used at a held place. An amount of 0 is not
  /// listed, so that equal use compares equal however it came about.
  void AddUsed(model::NodeIndex index, std::string_view resource, std::int64_t amount);

 private:
  struct Place {
    std::uint32_t holds = 0;
    std::uint32_t epoch = 0;
    model::NodeState state;
  };

  struct HashedName {
    std::string_view name;
    std::size_t hash;
  };

  // Indices that hash and compare as the names of their places. Four bytes a node: the index of a
  // large cluster stays in the processor's caches, where a table of names would not.
  struct ByName {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      // Of absl's own type: of the standard's it takes the standard's hash, which is slower.
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

  bool Exists(model::NodeIndex index) const { return versions_[index] != NodeVersions::kNone; }
  // Whether a node of that name exists at `index`, which may be any.
  bool IsAt(model::NodeIndex index, std::string_view name) const {
    return index < end() && Exists(index) && names_[index] == name;
  }
  template <typename Name>
  model::NodeIndex FindOne(const Name& name) const;
  model::NodeIndex IndexOf(std::string_view name);
  void Remove(model::NodeIndex index);
  void Changed(model::NodeIndex index);
  void FreeIfUnused(model::NodeIndex index);

  // By index.
  std::vector<Place> places_;
  NodeVersions versions_;
  NameList names_;

  std::vector<model::NodeIndex> free_;
  PoolCounts pools_;
  absl::flat_hash_set<model::NodeIndex, ByName, ByName> by_name_;
  std::uint64_t generation_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
