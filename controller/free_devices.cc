#include "controller/free_devices.h"

#include <algorithm>
#include <cstdint>

namespace berth::controller {

namespace {

bool HasRoom(const model::NodeState& state, const model::Resources& promised,
             const model::Resources::Entry& request) {
  const auto& [resource, amount] = request;
  const std::int64_t* const allocatable = state.node.allocatable.Find(resource);
  if (allocatable == nullptr) {
    return state.accelerator != model::AcceleratorCatalog::kNone && promised.Get(resource) == 0;
  }
  const std::int64_t unused = std::max<std::int64_t>(0, *allocatable - state.used.Get(resource));
  return unused - promised.Get(resource) >= amount;
}

}  // namespace

void FreeDevices::Promise(model::NodeIndex node, const DeviceRequests& requests) {
  model::Resources& promised = promised_[node];
  for (const auto& [resource, amount] : requests) promised.Add(resource, amount);
}

bool FreeDevices::TryPromise(model::NodeIndex node, const DeviceRequests& requests) {
  const model::NodeState* const state = node < view_.EndIndex() ? view_.At(node) : nullptr;
  if (state == nullptr) return false;
  const model::Resources& promised = promised_[node];
  const auto has_room = [&](const auto& request) { return HasRoom(*state, promised, request); };
  if (!std::all_of(requests.begin(), requests.end(), has_room)) return false;
  Promise(node, requests);
  return true;
}

}  // namespace berth::controller
