#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/node.h"

namespace berth::model {

/// What NVIDIA's GPU feature discovery says of a node's devices in labels, read once when the node
/// arrives: looking labels up for every pod costs more than judging the node.
/// https://github.com/NVIDIA/k8s-device-plugin, docs/gpu-feature-discovery/README.md.
struct GpuLabels {
  /// nvidia.com/gpu.memory: MiB of one device; nothing where it is missing or no number above zero.
  std::optional<std::int64_t> memory_mebibytes;
  /// nvidia.com/gpu.count: physical devices; nothing where resource nvidia.com/gpu counts something
  /// else (shares of time slicing or MPS, slices of MIG), or where it is missing or no number.
  std::optional<std::int64_t> count;

  friend bool operator==(const GpuLabels&, const GpuLabels&) = default;
};

/// All that ReadGpuLabels reads.
inline constexpr std::array<std::string_view, 4> kGpuLabels = {
    "nvidia.com/gpu.memory", "nvidia.com/gpu.count", "nvidia.com/gpu.replicas",
    "nvidia.com/mig.strategy"};

GpuLabels ReadGpuLabels(const StringMap& labels);

}  // namespace berth::model
