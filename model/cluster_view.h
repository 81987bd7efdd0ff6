#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/condition_digest.h"
#include "model/demand.h"
#include "model/gpu_labels.h"
#include "model/host_port.h"
#include "model/kept_room.h"
#include "model/node.h"
#include "model/past_status.h"
#include "model/resources.h"
#include "model/time.h"

namespace berth::model {

/// The place of a node in a view. It stays the same while the node exists, and may belong to
/// another node afterwards.
using NodeIndex = std::uint32_t;

/// A node together with what Berth derives from it and from the cluster around it. A plain value.
struct NodeState {
  /// The node as the API server reported it, possibly trimmed to what Berth reads.
  Node node;
  /// The catalogue entry that recognises the node. Determined when the node arrives or changes.
  AcceleratorCatalog::Index accelerator = AcceleratorCatalog::kNone;
  /// Whether the node's present object cannot be read. All other fields then describe the last
  /// state that could be read. If none could, they have only the name.
  bool quarantined = false;
  /// The node's GPU labels, read when the node arrives or changes.
  GpuLabels gpu;
  /// A summary of the node's conditions. If nullopt, the conditions themselves must be read.
  std::optional<ConditionDigest> digest;
  /// What conditions of this node were seen to be and are no longer: a few, and at most one of each
  /// type and status.
  std::vector<PastStatus> past;
  /// The sum of the requests of the pods bound to this node, for the catalogue's resources only, or
  /// for all resources in a view of whole pods.
  Resources used;
  /// How many pods are bound to this node, and the ports of the node that they have, of which one
  /// may be listed several times. Only in a view of whole pods.
  std::int64_t pods = 0;
  std::vector<HostPort> ports = {};
  /// What each of these pods takes, with its priority, in the order in which the view learned of
  /// the pods. The view owns the demands, and pods that ask for the same share one: 8 bytes a pod,
  /// 2 MiB for 200,000 of them. Only in a view of whole pods.
  std::vector<const Demand*> bound = {};
  /// The view's generation right after the last change of this node or of what its pods use. It is
  /// greater than the version of every node that changed before.
  std::uint64_t version = 0;
};

/// What a condition says on how many nodes of a pool. On the others it is well, or absent. A plain
/// value.
struct ConditionShare {
  /// Nodes where it is bad.
  std::size_t bad = 0;
  /// Nodes where it is Unknown, or was well too long ago.
  std::size_t unknown = 0;
  /// Those of the latter where it is Unknown and was bad for long before.
  std::size_t was_bad = 0;

  friend bool operator==(const ConditionShare&, const ConditionShare&) = default;
};

/// Counts over pools. A pool is the nodes that one entry of the catalogue recognises.
/// Implementations answer from counters instead of scanning the nodes. Valid and unchanged as long
/// as the view that it comes from.
class PoolStats {
 public:
  virtual ~PoolStats() = default;

  /// The number of nodes that the entry recognises.
  virtual std::size_t Nodes(AcceleratorCatalog::Index accelerator) const = 0;

  /// The number of the pool's nodes where the condition of that type has the status `bad`, kTrue or
  /// kFalse, and where it is Unknown. A condition that is well counts as Unknown if its last
  /// heartbeat is known and before `stale_before`. A bad one stays bad however old its heartbeat
  /// is. An Unknown one was bad for long if NodeState::past has a record of `bad` that lasts, and
  /// whose LastedFor() is at least `long_bad`. Time alone does not change that.
  virtual ConditionShare NodesWith(AcceleratorCatalog::Index accelerator, std::string_view type,
                                   ConditionStatus bad, Time stale_before,
                                   Duration long_bad) const = 0;

  /// Whether the annotation `avoid` of some node names the owner with that UID, whether the entry
  /// has expired or not; see model/avoid.h.
  virtual bool IsAvoided(std::string_view owner) const = 0;
};

/// The cluster as of one moment, as policies see it. Each implementation states how long it stays
/// unchanged and which threads may read it. Pointers and references are valid as long as the view.
class ClusterView {
 public:
  virtual ~ClusterView() = default;

  /// One more than the greatest index in use. Indices below it may have no node.
  virtual NodeIndex EndIndex() const = 0;

  /// The node at `index`, which must be below EndIndex(), or null if there is none.
  virtual const NodeState* At(NodeIndex index) const = 0;

  /// The index of the node with that name, or nullopt if there is none.
  virtual std::optional<NodeIndex> Find(std::string_view name) const = 0;

  /// Counts over whole pools.
  virtual const PoolStats& Pools() const = 0;

  /// Of the places for which the annotation `kept` of some node keeps devices, whether the entry
  /// has expired or not, the last one that does not come after `place`; nullopt if there is none,
  /// as long as nothing is kept. A pod at `place` comes later than the gangs up to there and before
  /// all others; see model/kept_room.h. Takes logarithmic time.
  virtual std::optional<PlanningPlace> LastKept(const PlanningPlace& place) const = 0;

  /// A number that increases with every change of a node or of what its pods use.
  virtual std::uint64_t Generation() const = 0;
};

}  // namespace berth::model
