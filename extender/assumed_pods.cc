#include "extender/assumed_pods.h"

#include <algorithm>

#include "model/accelerator_requests.h"

namespace berth::extender {

void AssumedPods::Assume(const model::Pod& pod, std::string_view node,
                         const model::AcceleratorCatalog& catalog, model::Time now) {
  if (pod.uid.empty()) return;
  Assumed assumed{.key = cluster::PodLedger::KeyOf(pod),
                  .uid = pod.uid,
                  .node = std::string(node),
                  .amounts = {},
                  .time = now};
  for (const auto& [resource, amount] : model::AcceleratorRequests(pod, catalog)) {
    assumed.amounts.Add(resource, amount);
  }
  if (assumed.amounts.empty()) return;
  const std::lock_guard lock(mutex_);
  if (pods_.size() == kMost) pods_.erase(pods_.begin());
  pods_.push_back(std::move(assumed));
}

AssumedView AssumedPods::Over(const cluster::Snapshot::Reader& reader, std::string_view asked_about,
                              model::Time now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(pods_, [&](const Assumed& pod) {
    // abs(), because a clock may be set back, too.
    const bool too_old = std::chrono::abs(now - pod.time) >= kLongest;
    return too_old || pod.uid == asked_about || reader.WasSeenBound(pod.key, pod.uid);
  });
  absl::flat_hash_map<model::NodeIndex, model::Resources> amounts;
  for (const Assumed& pod : pods_) {
    if (const auto index = reader.Find(pod.node)) amounts[*index].Add(pod.amounts);
  }
  Copies copies;
  AssumedView::Nodes nodes;
  for (auto& [index, sum] : amounts) {
    const Copy copy = CopyOf(index, *reader.At(index), std::move(sum));
    nodes.emplace(index, copy.node);
    copies.emplace(index, copy);
  }
  copies_ = std::move(copies);
  return AssumedView(reader, std::move(nodes));
}

AssumedPods::Copy AssumedPods::CopyOf(model::NodeIndex index, const model::NodeState& node,
                                      model::Resources amounts) const {
  const auto known = copies_.find(index);
  const bool same = known != copies_.end() && known->second.version == node.version &&
                    known->second.amounts == amounts;
  if (same) return known->second;
  auto copy = std::make_shared<model::NodeState>(node);
  copy->used.Add(amounts);
  return {node.version, std::move(amounts), std::move(copy)};
}

}  // namespace berth::extender
