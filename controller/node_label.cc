#include "controller/node_label.h"

namespace berth::controller {

std::optional<std::string> WantedLabel(const model::NodeState& state,
                                       const model::AcceleratorCatalog& catalog,
                                       std::string_view label) {
  if (state.quarantined || state.accelerator == model::AcceleratorCatalog::kNone)
    return std::nullopt;
  const std::string& name = catalog[state.accelerator].name;
  const std::optional<std::string_view> value = model::Find(state.node.labels, label);
  if (value && (*value == name || !state.used.empty())) return std::nullopt;
  return name;
}

std::vector<std::string> NodesToLabel(const model::ClusterView& view,
                                      const model::AcceleratorCatalog& catalog,
                                      std::string_view label) {
  std::vector<std::string> names;
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* state = view.At(i);
    if (state != nullptr && WantedLabel(*state, catalog, label)) names.push_back(state->node.name);
  }
  return names;
}

}  // namespace berth::controller
