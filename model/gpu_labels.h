#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/node.h"

namespace berth::model {

/// What the labels of NVIDIA's GPU feature discovery say about a node's devices. They are read
/// once, when the node arrives, because looking labels up for every pod costs more than judging the
/// node. A plain value.
///
/// https://github.com/NVIDIA/k8s-device-plugin, docs/gpu-feature-discovery/README.md.
struct GpuLabels {
  /// nvidia.com/gpu.memory: MiB of one device. nullopt if the label is missing or not a number
  /// above 0.
  std::optional<std::int64_t> memory_mebibytes;
  /// nvidia.com/gpu.count: physical devices. nullopt if the label is missing or not a number, or if
  /// the resource nvidia.com/gpu counts something else (shares of time slicing or MPS, slices of
  /// MIG).
  std::optional<std::int64_t> count;

  friend bool operator==(const GpuLabels&, const GpuLabels&) = default;
};

/// The names of all labels that ReadGpuLabels() reads.
inline constexpr std::array<std::string_view, 4> kGpuLabels = {
    "nvidia.com/gpu.memory", "nvidia.com/gpu.count", "nvidia.com/gpu.replicas",
    "nvidia.com/mig.strategy"};

/// Reads the GPU labels among a node's `labels`. A label that cannot be parsed counts as missing.
GpuLabels ReadGpuLabels(const StringMap& labels);

}  // namespace berth::model
