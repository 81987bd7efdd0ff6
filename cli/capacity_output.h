#pragma once

#include <string>

#include "cli/output.h"
#include "proto/berth/v1/placement.pb.h"

namespace berth::cli {

/// The table that `berth capacity` prints. It has a line for every accelerator, and one for every
/// resource on nodes that no accelerator of the catalogue recognises:
///
///   ACCELERATOR  RESOURCE        NODES  TOTAL  USED  FREE  EXCLUDED  WHY
///   V100         nvidia.com/gpu  12     96     64    32    8         1 GPUIsLost
///
/// Wide, it also has the part of TOTAL that is in use, how many nodes are excluded, and the devices
/// that are free and not excluded; and a line for each accelerator of the catalogue, whether a node
/// has it or not.
std::string CapacityText(const v1::CapacityResponse& capacity, const TableStyle& style = {});

/// The same as JSON. docs/capacity.md describes the format.
std::string CapacityJson(const v1::CapacityResponse& capacity);

}  // namespace berth::cli
