#pragma once

#include <vector>

#include "model/accelerator.h"
#include "model/pod.h"
#include "model/resources.h"

namespace berth::model {

/// Returns the catalogue's resources of which `pod` requests more than 0, with the amounts,
/// ascending by name.
std::vector<Resources::Entry> AcceleratorRequests(const Pod& pod,
                                                  const AcceleratorCatalog& catalog);

}  // namespace berth::model
