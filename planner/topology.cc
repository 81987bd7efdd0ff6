#include "planner/topology.h"

#include <algorithm>
#include <utility>

#include "model/node.h"

namespace berth::planner {

using model::NodeIndex;

Topology::Topology(const model::ClusterView& view, std::vector<std::string> labels)
    : labels_(std::move(labels)),
      levels_(labels_.size() + 1),
      around_(view.EndIndex()),
      positions_(view.EndIndex()) {
  cluster_.level = labels_.size();
  for (NodeIndex node = 0; node < view.EndIndex(); ++node) {
    const model::NodeState* const state = view.At(node);
    if (state == nullptr) continue;
    Domain* domain = &cluster_;
    for (std::size_t level = labels_.size(); level-- > 0;) {
      const auto value = model::Find(state->node.labels, labels_[level]);
      if (value) domain = &ChildOf(*domain, level, *value);
    }
    domain->nodes.push_back(node);
  }
  std::size_t position = 0;
  Index(cluster_, position);
}

Topology::Domain& Topology::ChildOf(Domain& domain, std::size_t level,
                                    std::string_view value) const {
  // Where a node lacks a label in between, domains of different levels have the same parent.
  const std::string key = std::to_string(level) + '/' + std::string(value);
  std::unique_ptr<Domain>& child = domain.children[key];
  if (child == nullptr) {
    const std::string path = (domain.path.empty() ? "" : domain.path + '/') + std::string(value);
    child = std::make_unique<Domain>(Domain{.path = path, .level = level, .parent = &domain});
  }
  return *child;
}

void Topology::Index(const Domain& domain, std::size_t& position) {
  levels_[domain.level].push_back(&domain);
  for (const auto& [key, child] : domain.children) Index(*child, position);
  for (const NodeIndex node : domain.nodes) {
    around_[node] = &domain;
    positions_[node] = position++;
  }
}

std::optional<std::size_t> Topology::LevelOf(std::string_view label) const {
  const auto found = std::ranges::find(labels_, label);
  if (found == labels_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - labels_.begin());
}

const Topology::Domain& Topology::Around(NodeIndex node, std::size_t level) const {
  const Domain* domain = around_[node];
  while (domain->level < level && domain->parent != nullptr) domain = domain->parent;
  return *domain;
}

}  // namespace berth::planner
