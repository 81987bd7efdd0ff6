#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "board/pod_table.h"
#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/time.h"
#include "placement/exclusion.h"

namespace berth::board {

/// What the state of a node does to its devices that nobody holds. The page knows the numbers.
enum class NodeStatus : std::uint8_t {
  /// They are free.
  kGood = 0,
  /// A condition excludes the node, node-operation-controller is repairing it, or it offers no
  /// devices although it has some by its label, or pods hold some there.
  kBroken = 1,
  /// The object of the node cannot be read.
  kUnreadable = 2,
  /// The kubelet has not been Ready for a while.
  kNotReady = 3,
  /// Somebody has cordoned the node.
  kCordoned = 4,
};

/// How many devices one owner has: who created the pods, or else their namespace. Slices are parts
/// of a device: 0.125 is an eighth of one.
using Share = std::pair<std::string, double>;

/// The most cells in which a node is drawn. A node may claim any number of devices, and every page
/// makes room for it, in the boxes of all nodes of its pool. Real nodes of the catalogue's
/// accelerators have 16 devices at most.
inline constexpr std::int64_t kMostCells = 16;

/// A node as the board draws it. Its devices are HeldDevices(), PlannedDevices(), `free` and
/// `broken` together, and the page draws them in this order: which of its devices a pod got is not
/// known. They are as many as the node has; those that are held where it has none any more, so that
/// their holders do not vanish. A plain value.
struct NodeRow {
  std::string name;
  /// See PoolOf().
  std::string pool;
  /// The values of the topology labels from wide to narrow, "zone-a / rack-7". Empty: it has none.
  std::string rack;
  NodeStatus status = NodeStatus::kGood;
  /// Why the status is not kGood: the condition's type, for example. Empty if it is good.
  std::string reason;
  /// When that began; kNoTime if nobody knows.
  model::Time since = model::kNoTime;
  /// By owner: what bound pods hold, and what pods get that are nominated for the node, as far as
  /// there is room. Ascending by owner.
  std::vector<Share> held;
  std::vector<Share> planned;
  /// Nobody holds them, and new pods can get them, or cannot: because of the status, or because the
  /// kubelet does not offer them.
  std::int64_t free = 0;
  std::int64_t broken = 0;

  friend bool operator==(const NodeRow&, const NodeRow&) = default;
};

/// Draws one node. `exclusion`: why its state excludes it, if it does. `labels`: of the topology,
/// from narrow to wide.
NodeRow RowOfNode(const model::NodeState& node,
                  const std::optional<placement::Exclusion>& exclusion, const PodTable& pods,
                  const model::AcceleratorCatalog& catalog, const std::vector<std::string>& labels);

/// How many of the node's devices are held. Slices are added up and then rounded up.
std::int64_t HeldDevices(const NodeRow& row);

/// How many more are planned. A planned slice needs none if there is room for it in a device of
/// which a slice is held.
std::int64_t PlannedDevices(const NodeRow& row);

/// For about how many devices each cell stands with which the node is drawn: one, or as many as
/// leave it kMostCells at most.
std::int64_t DevicesPerCell(const NodeRow& row);

}  // namespace berth::board
