#include "extender/assumed_pods.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "model/accelerator_requests.h"

namespace berth::extender {

void AssumedPods::Assume(const model::Pod& pod, std::string_view node,
                         const model::AcceleratorCatalog& catalog, model::Time now) {
  if (pod.uid.empty()) return;
  Assumed assumed{.key = cluster::PodLedger::KeyOf(pod),
                  .uid = pod.uid,
                  .node = std::string(node),
                  .amounts = {},
                  .pod = {.requests = model::CountedRequests(pod.requests, catalog),
                          .host_ports = pod.host_ports},
                  .time = now};
  for (const auto& [resource, amount] : model::AcceleratorRequests(pod, catalog)) {
    assumed.amounts.Add(resource, amount);
  }
  if (assumed.amounts.empty()) return;
  const std::lock_guard lock(mutex_);
  if (pods_.size() == kMost) pods_.erase(pods_.begin());
  pods_.push_back(std::move(assumed));
}

void AssumedPods::End(const cluster::Snapshot::Reader& reader, std::string_view asked_about,
                      model::Time now) {
  std::erase_if(pods_, [&](const Assumed& pod) {
    // abs(), because a clock may be set back, too.
    const bool too_old = std::chrono::abs(now - pod.time) >= kLongest;
    return too_old || reader.WasSeenBound(pod.key, pod.uid);
  });
  const bool was_behind = std::exchange(is_behind_, reader.IsBehind());
  if (is_behind_ != was_behind) doubtful_ = is_behind_ ? pods_ : std::vector<Assumed>();
  std::erase_if(pods_, [&](const Assumed& pod) { return pod.uid == asked_about; });
}

template <typename Visit>
void AssumedPods::VisitNominated(const cluster::NominatedPods& nominated,
                                 const cluster::Snapshot::Reader& reader,
                                 std::string_view asked_about, Visit visit) const {
  if (nominated.empty()) return;
  std::unordered_set<std::string_view> others = {asked_about};
  for (const Assumed& pod : pods_) others.insert(pod.uid);
  nominated.ForEach([&](const cluster::NominatedPod& each) {
    if (others.contains(each.pod.uid)) return;
    // Its binding may be seen before the end of its nomination.
    if (reader.WasSeenBound(each.key, each.pod.uid)) return;
    if (const auto index = reader.Find(each.pod.nominated_node)) visit(each, *index);
  });
}

AssumedView AssumedPods::Over(const cluster::Snapshot::Reader& reader, std::string_view asked_about,
                              model::Time now, const cluster::NominatedPods* nominated) {
  const std::lock_guard lock(mutex_);
  End(reader, asked_about, now);
  Amounts amounts;
  for (const Assumed& pod : pods_) {
    if (const auto index = reader.Find(pod.node)) amounts[*index].Add(pod.amounts);
  }
  const auto add = [&](const cluster::NominatedPod& pod, model::NodeIndex index) {
    if (!pod.devices.empty()) amounts[index].Add(pod.devices);
  };
  if (nominated != nullptr) VisitNominated(*nominated, reader, asked_about, add);
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

ExpectedPods AssumedPods::ExpectedFor(const model::Pod& pod,
                                      const cluster::Snapshot::Reader& reader, model::Time now,
                                      const cluster::NominatedPods* nominated) {
  const std::lock_guard lock(mutex_);
  End(reader, pod.uid, now);
  ExpectedPods expected;
  for (const Assumed& each : pods_) {
    if (const auto index = reader.Find(each.node)) expected[*index].push_back(each.pod);
  }
  const auto add = [&](const cluster::NominatedPod& each, model::NodeIndex index) {
    if (each.pod.priority < pod.priority) return;
    expected[index].push_back({.requests = each.pod.requests, .host_ports = each.pod.host_ports});
  };
  if (nominated != nullptr) VisitNominated(*nominated, reader, pod.uid, add);
  return expected;
}

ExpectedPods AssumedPods::UnseenIn(const cluster::Snapshot::Reader& reader, bool everywhere) {
  const std::lock_guard lock(mutex_);
  ExpectedPods unseen;
  absl::flat_hash_set<std::pair<std::string_view, std::string_view>> counted;
  for (const Assumed& each : doubtful_) {
    const auto index = reader.Find(each.node);
    if (!index || reader.WasSeenBound(each.key, each.uid)) continue;
    counted.emplace(each.uid, each.node);
    unseen[*index].push_back(each.pod);
  }
  for (const Assumed& each : pods_) {
    const auto index = reader.Find(each.node);
    if (!index || (!everywhere && !unseen.contains(*index))) continue;
    if (!counted.contains({each.uid, each.node})) unseen[*index].push_back(each.pod);
  }
  return unseen;
}

AssumedView AssumedPods::AsItIs(const cluster::Snapshot::Reader& reader,
                                std::string_view asked_about, model::Time now) {
  const std::lock_guard lock(mutex_);
  End(reader, asked_about, now);
  return AssumedView(reader);
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
