#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_view.h"

namespace berth::planner {

/// Which nodes are near each other: a tree of domains, from the cluster down to racks, by labels of
/// nodes. Immutable, so thread-safe.
class Topology {
 public:
  /// The nodes that have the same values of a label and of all wider ones. Two racks of the same
  /// name in different zones are two domains.
  struct Domain {
    /// "zone-a/rack-7"; empty for the cluster.
    std::string path;
    /// The position of its label, or the number of labels for the cluster.
    std::size_t level = 0;
    /// Null for the cluster.
    const Domain* parent = nullptr;
    std::map<std::string, std::unique_ptr<Domain>> children = {};
    /// Those that are in none of `children`, because they lack the labels.
    std::vector<model::NodeIndex> nodes = {};
  };

  /// `labels` from narrow to wide, each once. A node without one of them is in no domain of that
  /// level. Reads `view` only during the call.
  Topology(const model::ClusterView& view, std::vector<std::string> labels);
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  const Domain& cluster() const { return cluster_; }
  const std::vector<std::string>& labels() const { return labels_; }

  /// The position of the label.
  std::optional<std::size_t> LevelOf(std::string_view label) const;
  /// The domains of a level, 0 to the number of labels, in the order of their paths.
  const std::vector<const Domain*>& At(std::size_t level) const { return levels_[level]; }

  /// The narrowest domain that the node is in. The node must have been in the view.
  const Domain& Around(model::NodeIndex node) const { return *around_[node]; }
  /// The domain of at least that level that the node is in.
  const Domain& Around(model::NodeIndex node, std::size_t level) const;
  /// The place of the node in an order in which near nodes follow each other.
  std::size_t PositionOf(model::NodeIndex node) const { return positions_[node]; }

 private:
  Domain& ChildOf(Domain& domain, std::size_t level, std::string_view value) const;
  // Fills in levels_, around_ and positions_.
  void Index(const Domain& domain, std::size_t& position);

  const std::vector<std::string> labels_;
  Domain cluster_;
  std::vector<std::vector<const Domain*>> levels_;
  std::vector<const Domain*> around_;   // by node
  std::vector<std::size_t> positions_;  // by node
};

}  // namespace berth::planner
