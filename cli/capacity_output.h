#pragma once

#include <string>

#include "proto/berth/v1/placement.pb.h"

namespace berth::cli {

/// The table that `berth capacity` prints. It has a line for every accelerator, and one for every
/// resource on nodes that no accelerator of the catalogue recognises:
///
///   ACCELERATOR  RESOURCE        NODES  TOTAL  USED  FREE  EXCLUDED  WHY
///   V100         nvidia.com/gpu  12     96     64    32    8         1 GPUIsLost
std::string CapacityText(const v1::CapacityResponse& capacity);

/// The same as JSON. docs/capacity.md describes the format.
std::string CapacityJson(const v1::CapacityResponse& capacity);

}  // namespace berth::cli
