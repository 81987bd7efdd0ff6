#include "board/devices.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace berth::board {

using model::AcceleratorCatalog;

namespace {

double AmountOf(const model::Resources& resources, std::string_view name) {
  return static_cast<double>(std::max<std::int64_t>(0, resources.Get(name)));
}

}  // namespace

double DevicesOf(const model::Resources& resources, const model::AcceleratorSpec& spec) {
  double devices = AmountOf(resources, spec.resource);
  for (const model::DeviceSlice& slice : spec.slices) {
    devices += AmountOf(resources, slice.resource) / slice.per_device;
  }
  return devices;
}

std::int64_t WholeDevices(double devices) {
  return static_cast<std::int64_t>(std::ceil(std::clamp(devices - kNoDevice, 0.0, kMostDevices)));
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

std::string PoolOf(const model::NodeState& node, const model::AcceleratorSpec* spec) {
  if (spec == nullptr) return "no accelerator";
  const bool is_recognised = node.accelerator != AcceleratorCatalog::kNone;
  return is_recognised ? spec->name : "unrecognised " + spec->resource;
}

}  // namespace berth::board
