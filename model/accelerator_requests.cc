#include "model/accelerator_requests.h"

#include <algorithm>
#include <iterator>

namespace berth::model {

std::vector<Resources::Entry> AcceleratorRequests(const Pod& pod,
                                                  const AcceleratorCatalog& catalog) {
  std::vector<Resources::Entry> requests;
  std::copy_if(
      pod.requests.begin(), pod.requests.end(), std::back_inserter(requests),
      [&](const auto& entry) { return entry.second > 0 && catalog.HasResource(entry.first); });
  return requests;
}

}  // namespace berth::model
