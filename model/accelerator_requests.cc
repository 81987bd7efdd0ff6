#include "model/accelerator_requests.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace berth::model {

namespace {

// What kubelet reports of every node.
bool IsOfEveryNode(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource == "ephemeral-storage";
}

}  // namespace

std::vector<Resources::Entry> AcceleratorRequests(const Pod& pod,
                                                  const AcceleratorCatalog& catalog) {
  std::vector<Resources::Entry> requests;
  std::copy_if(
      pod.requests.begin(), pod.requests.end(), std::back_inserter(requests),
      [&](const auto& entry) { return entry.second > 0 && catalog.HasResource(entry.first); });
  return requests;
}

Resources CountedRequests(Resources requests, const AcceleratorCatalog& catalog) {
  std::size_t room = kMostOtherRequests;
  const auto counts = [&room, &catalog](const Resources::Entry& entry) {
    const auto& [name, amount] = entry;
    if (amount <= 0) return false;
    if (IsOfEveryNode(name) || catalog.HasResource(name)) return true;
    if (room == 0) return false;
    --room;
    return true;
  };
  const bool all = std::all_of(requests.begin(), requests.end(), [&](const auto& entry) {
    return counts(entry) && entry.second <= kMaxRequest;
  });
  if (all) return requests;
  room = kMostOtherRequests;
  Resources counted;
  for (const Resources::Entry& entry : requests) {
    if (counts(entry)) counted.Set(entry.first, std::min(entry.second, kMaxRequest));
  }
  return counted;
}

}  // namespace berth::model
