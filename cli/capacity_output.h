#pragma once

#include <string>

#include "placement/capacity.h"

namespace berth::cli {

/// What `berth capacity` prints: a table with a line for every accelerator and one for every
/// resource on nodes that no accelerator of the catalogue recognises.
std::string CapacityText(const placement::Capacity& capacity);

/// The same as JSON; the shape is described in docs/capacity.md.
std::string CapacityJson(const placement::Capacity& capacity);

}  // namespace berth::cli
