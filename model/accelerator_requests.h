#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/accelerator.h"
#include "model/pod.h"
#include "model/resources.h"

namespace berth::model {

/// Returns the catalogue's resources of which `pod` requests more than 0, with the amounts,
/// ascending by name.
std::vector<Resources::Entry> AcceleratorRequests(const Pod& pod,
                                                  const AcceleratorCatalog& catalog);

/// More than any node has of any resource, even in bytes (1 PiB). Single amounts are cut to it, so
/// that the sum over a node's pods, of which there are never 8,000, stays within the limits of
/// int64, where subtracting would not undo adding.
inline constexpr std::int64_t kMaxRequest = std::int64_t{1} << 50;

/// How many resources of one pod count, in the order of their names, besides those of the
/// catalogue, cpu, memory and ephemeral-storage. Whoever may create pods can name thousands.
inline constexpr std::size_t kMostOtherRequests = 64;

/// Returns what of a pod's requests counts on its node, within these two limits: amounts above 0.
/// Takes memory for these alone. Copies nothing if all of them count.
Resources CountedRequests(Resources requests, const AcceleratorCatalog& catalog);

}  // namespace berth::model
