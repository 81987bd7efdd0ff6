#pragma once

#include <cstdint>
#include <string>

#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/resources.h"

namespace berth::board {

/// How many devices of an entry of the catalogue `resources` names: its own resource, and the parts
/// of devices that are its slices, 0.125 for an eighth. Never negative.
double DevicesOf(const model::Resources& resources, const model::AcceleratorSpec& spec);

/// Parts such as sevenths do not add up exactly. This is less than any.
inline constexpr double kNoDevice = 1e-6;

/// A node, and the pods on it, may claim any number of devices. No more than this are counted, up
/// to which sums are more exact than kNoDevice.
inline constexpr double kMostDevices = 1e9;

/// Devices with parts as whole ones, rounded up; kMostDevices at most. Parts are to be added
/// before: seven sevenths are one device.
std::int64_t WholeDevices(double devices);

/// The entry by which the devices of a node are counted: the one that recognises the node, or else
/// the first of whose resource the node has any. Null if the node has no devices of the catalogue.
const model::AcceleratorSpec* SpecOf(const model::NodeState& node,
                                     const model::AcceleratorCatalog& catalog);

/// The name of the pool that the board shows the node in: that of the accelerator, or words for
/// nodes that no entry of the catalogue recognises. `spec`: by which the node's devices are
/// counted, or null. Pools are drawn in the order of their names.
std::string PoolOf(const model::NodeState& node, const model::AcceleratorSpec* spec);

}  // namespace berth::board
