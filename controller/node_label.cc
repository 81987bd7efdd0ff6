#include "controller/node_label.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "model/accelerator_memory.h"
#include "model/annotation.h"

namespace berth::controller {

namespace {

// Returns the number in `text`, as kube-scheduler reads it for Gt; nothing if it is not a number.
std::optional<std::int64_t> NumberIn(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

// Whether a pod on the node asks for an accelerator. In a view of whole pods other resources are
// used, too.
bool HasUser(const model::NodeState& state, const model::AcceleratorCatalog& catalog) {
  return std::ranges::any_of(state.used, [&catalog](const model::Resources::Entry& entry) {
    return catalog.HasResource(entry.first);
  });
}

std::optional<std::string> WantedAccelerator(const model::NodeState& state,
                                             const model::AcceleratorCatalog& catalog,
                                             std::string_view label) {
  if (state.accelerator == model::AcceleratorCatalog::kNone) return std::nullopt;
  const std::string& name = catalog[state.accelerator].name;
  const std::optional<std::string_view> value = model::Find(state.node.labels, label);
  if (value && (*value == name || HasUser(state, catalog))) return std::nullopt;
  return name;
}

std::optional<std::string> WantedMemory(const model::NodeState& state,
                                        const model::AcceleratorCatalog& catalog,
                                        std::string_view label) {
  const auto greatest = model::GreatestMemoryMinimum(state.gpu, state.accelerator, catalog);
  if (!greatest) return std::nullopt;
  const std::int64_t memory = model::WholeGibibytes(*greatest);
  const auto labelled = NumberIn(model::Find(state.node.labels, label).value_or(""));
  if (labelled == memory) return std::nullopt;
  if (labelled > memory && HasUser(state, catalog)) return std::nullopt;
  return std::to_string(memory);
}

}  // namespace

NodeLabelNames::NodeLabelNames(std::string_view prefix)
    : accelerator(model::kAcceleratorLabel.Below(prefix)),
      memory(model::kAcceleratorMemory.Below(prefix)) {}

model::StringMap WantedLabels(const model::NodeState& state,
                              const model::AcceleratorCatalog& catalog,
                              const NodeLabelNames& labels) {
  model::StringMap wanted;
  if (state.quarantined) return wanted;
  if (auto value = WantedAccelerator(state, catalog, labels.accelerator)) {
    wanted.emplace_back(labels.accelerator, *std::move(value));
  }
  if (auto value = WantedMemory(state, catalog, labels.memory)) {
    wanted.emplace_back(labels.memory, *std::move(value));
  }
  return wanted;
}

std::vector<std::string> NodesToLabel(const model::ClusterView& view,
                                      const model::AcceleratorCatalog& catalog,
                                      const NodeLabelNames& labels) {
  std::vector<std::string> names;
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* state = view.At(i);
    if (state == nullptr || WantedLabels(*state, catalog, labels).empty()) continue;
    names.push_back(state->node.name);
  }
  return names;
}

}  // namespace berth::controller
