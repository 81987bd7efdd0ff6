#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/condition_digest.h"
#include "model/gpu_labels.h"
#include "model/node.h"
#include "model/past_true.h"
#include "model/resources.h"
#include "model/time.h"

namespace berth::model {

/// A node's place in a view. Stable while the node exists, given to another node afterwards.
using NodeIndex = std::uint32_t;

/// A node with what the cluster around it adds.
struct NodeState {
  Node node;
  /// Which catalogue entry recognises it; decided when the node arrived or changed.
  AcceleratorCatalog::Index accelerator = AcceleratorCatalog::kNone;
  /// What the API server says of it now cannot be read. All else here is what it said before, and
  /// where that never could be read nothing but the name.
  bool quarantined = false;
  /// What its labels tell; read at the same time.
  GpuLabels gpu;
  /// Of its conditions; nothing: they are to be looked at.
  std::optional<ConditionDigest> digest;
  /// Conditions that were seen True here and are no more, a few at most; at most one of a type.
  std::vector<PastTrue> past;
  /// What the pods bound here ask for, catalogue resources only.
  Resources used;
  /// The view's generation since the last change of this node or of its pods: greater than that of
  /// every node that changed before.
  std::uint64_t version = 0;
};

/// On how many nodes a condition says what.
struct ConditionShare {
  std::size_t is_true = 0;
  std::size_t unknown = 0;

  friend bool operator==(const ConditionShare&, const ConditionShare&) = default;
};

/// Counts over pools: the nodes that one entry of the catalogue recognises. Answers come from
/// counters, not from a scan of the nodes.
class PoolStats {
 public:
  virtual ~PoolStats() = default;

  /// The nodes of the entry.
  virtual std::size_t Nodes(AcceleratorCatalog::Index accelerator) const = 0;

  /// Those with a condition of that type that is True, and those where it is Unknown. One that is
  /// False, and whose last heartbeat is known and before `stale_before`, counts as Unknown; what is
  /// True stays True however long ago it was heard of.
  virtual ConditionShare NodesWith(AcceleratorCatalog::Index accelerator, std::string_view type,
                                   Time stale_before) const = 0;
};

/// The cluster as of one moment, as policies see it. Whoever implements it says how long it holds
/// still and on which threads it may be read.
class ClusterView {
 public:
  virtual ~ClusterView() = default;

  /// One more than the greatest index in use; indices below it may be free.
  virtual NodeIndex EndIndex() const = 0;

  /// The node at `index` < EndIndex(), or null where none is.
  virtual const NodeState* At(NodeIndex index) const = 0;

  /// The index of the node of that name, or nothing.
  virtual std::optional<NodeIndex> Find(std::string_view name) const = 0;

  /// What holds for whole pools; lives as long as the view.
  virtual const PoolStats& Pools() const = 0;

  /// Grows with every change anywhere.
  virtual std::uint64_t Generation() const = 0;
};

}  // namespace berth::model
