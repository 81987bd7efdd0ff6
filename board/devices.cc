#include "board/devices.h"

#include <algorithm>

namespace berth::board {

using model::AcceleratorCatalog;

std::int64_t DevicesOf(const model::Resources& resources, const model::AcceleratorSpec& spec) {
  std::int64_t devices = std::max<std::int64_t>(0, resources.Get(spec.resource));
  for (const model::DeviceSlice& slice : spec.slices) {
    const std::int64_t parts = std::max<std::int64_t>(0, resources.Get(slice.resource));
    devices += parts / slice.per_device + (parts % slice.per_device > 0 ? 1 : 0);
  }
  return devices;
}

const model::AcceleratorSpec* SpecOf(const model::NodeState& node,
                                     const AcceleratorCatalog& catalog) {
  if (node.accelerator != AcceleratorCatalog::kNone) return &catalog[node.accelerator];
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    const model::AcceleratorSpec& spec = catalog[static_cast<AcceleratorCatalog::Index>(i)];
    if (DevicesOf(node.node.capacity, spec) > 0) return &spec;
  }
  return nullptr;
}

std::string PoolOf(const model::NodeState& node, const AcceleratorCatalog& catalog) {
  if (node.accelerator != AcceleratorCatalog::kNone) return catalog[node.accelerator].name;
  const model::AcceleratorSpec* spec = SpecOf(node, catalog);
  return spec == nullptr ? "no accelerator" : "unrecognised " + spec->resource;
}

}  // namespace berth::board
