#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "model/pod.h"

// The order of the pods of a gang. Pods that are near each other in it talk the most, so they get
// nodes that are near each other.

namespace berth::planner {

/// Whether a name comes before another if numbers in them count as numbers: "worker-2" comes before
/// "worker-10". Of different names, one always comes before the other.
bool IsNameBefore(std::string_view one, std::string_view other);

/// The places of the pods in the list that is given, in the order of their ranks: the pods of one
/// Job by their completion indices, and those without an index after them by their names; the Jobs
/// of a JobSet by the first names of their pods. O(n log n).
std::vector<std::size_t> OrderByRank(const std::vector<const model::Pod*>& pods);

}  // namespace berth::planner
