#include "cluster/pod_ledger.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "model/node.h"

namespace berth::cluster {
namespace {

std::uint64_t HashOf(const std::string& uid) { return absl::Hash<std::string>()(uid); }

// Times that 32 bits do not hold are not known: nobody creates pods before 1970 or after 2106.
std::uint32_t SecondsOf(model::Time time) {
  const auto seconds = time.time_since_epoch().count();
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  return seconds < 0 || seconds > kMost ? 0 : static_cast<std::uint32_t>(seconds);
}

}  // namespace

PodLedger::PodLedger(std::shared_ptr<const model::AcceleratorCatalog> catalog, NodeTable* nodes,
                     bool whole_pods, std::string creator_annotation)
    : catalog_(std::move(catalog)),
      nodes_(nodes),
      whole_pods_(whole_pods),
      creator_annotation_(std::move(creator_annotation)) {}

void PodLedger::Upsert(const model::Pod& pod) {
  Demand demand = DemandOf(pod);
  if (demand.empty()) {
    Remove(records_.find(KeyOf(pod)));
    return;
  }
  // Hold the new node before releasing the earlier record's, so that the place is not reused in
  // between.
  const std::string_view creator = HoldsDevices(demand) ? CreatorOf(pod) : std::string_view();
  Record earlier{.uid_hash = HashOf(pod.uid),
                 .demand = demands_.Hold(std::move(demand)),
                 .node = nodes_->Hold(pod.node_name),
                 .epoch = epoch_,
                 .creator = creators_.Hold(creator),
                 .created = SecondsOf(pod.created)};
  Record& record = records_[KeyOf(pod)];
  std::swap(record, earlier);
  const bool is_new = earlier.demand == nullptr;
  const bool same = record.node == earlier.node && record.demand == earlier.demand;
  if (!same) nodes_->Add(record.node, *record.demand);
  if (is_new) return;
  if (!same) nodes_->Subtract(earlier.node, *earlier.demand);
  if (earlier.uid_hash != record.uid_hash) HasLeft(earlier);
  Release(earlier);
}

void PodLedger::Keep(const kube::UnreadableObject& pod) {
  const auto found = records_.find(kube::FullNameOf(pod));
  if (found == records_.end()) return;
  const bool same = pod.uid.empty() || found->second.uid_hash == HashOf(pod.uid);
  if (!same) return Remove(found);
  found->second.epoch = epoch_;
}

void PodLedger::Remove(const model::Pod& pod) {
  const auto found = records_.find(KeyOf(pod));
  if (found != records_.end() && found->second.uid_hash == HashOf(pod.uid)) Remove(found);
}

void PodLedger::EndReplace() {
  std::vector<std::string> gone;
  for (const auto& [key, record] : records_) {
    if (record.epoch != epoch_) gone.push_back(key);
  }
  // Remove in an order that does not depend on hashes. The nodes' places are reused in the order in
  // which they are released, and equal input shall lead to equal tables.
  std::sort(gone.begin(), gone.end());
  for (const std::string& key : gone) Remove(records_.find(key));
}

bool PodLedger::WasSeen(const std::string& key, const std::string& uid) const {
  const std::uint64_t uid_hash = HashOf(uid);
  const auto found = records_.find(key);
  const bool is_bound = found != records_.end() && found->second.uid_hash == uid_hash;
  return is_bound || left_.Has(uid_hash) || others_left_.Has(uid_hash);
}

Demand PodLedger::DemandOf(const model::Pod& pod) const {
  Demand demand;
  if (pod.node_name.empty() || pod.terminated) return demand;
  if (!whole_pods_) {
    for (const auto& [name, amount] : pod.requests) {
      const bool counts = amount > 0 && catalog_->HasResource(name);
      if (counts) demand.resources.Set(name, std::min(amount, kMaxAmount));
    }
    return demand;
  }
  demand.resources = model::CountedRequests(pod.requests, *catalog_);
  demand.pods = 1;
  demand.ports = pod.host_ports;
  demand.priority = pod.priority;
  return demand;
}

void PodLedger::Remove(Records::iterator found) {
  if (found == records_.end()) return;
  nodes_->Subtract(found->second.node, *found->second.demand);
  HasLeft(found->second);
  Release(found->second);
  records_.erase(found);
}

void PodLedger::Release(const Record& record) {
  demands_.Release(record.demand);
  creators_.Release(record.creator);
  nodes_->Release(record.node);
}

void PodLedger::HasLeft(const Record& record) {
  (HoldsDevices(*record.demand) ? left_ : others_left_).Add(record.uid_hash);
}

bool PodLedger::HoldsDevices(const Demand& demand) const {
  return std::ranges::any_of(demand.resources, [this](const model::Resources::Entry& entry) {
    return catalog_->HasResource(entry.first);
  });
}

std::string_view PodLedger::CreatorOf(const model::Pod& pod) const {
  if (creator_annotation_.empty()) return {};
  return model::Find(pod.annotations, creator_annotation_).value_or(std::string_view());
}

}  // namespace berth::cluster
