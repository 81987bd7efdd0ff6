#include "cluster/pod_ledger.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"

namespace berth::cluster {
namespace {

std::uint64_t HashOf(const std::string& uid) { return absl::Hash<std::string>()(uid); }

}  // namespace

PodLedger::PodLedger(std::shared_ptr<const model::AcceleratorCatalog> catalog, NodeTable* nodes)
    : catalog_(std::move(catalog)), nodes_(nodes) {}

void PodLedger::Upsert(const model::Pod& pod) {
  Amounts amounts = AmountsOf(pod);
  if (amounts.empty()) {
    Remove(records_.find(KeyOf(pod)));
    return;
  }
  // Hold the new node before releasing the earlier record's, so that the place is not reused in
  // between.
  Record earlier{HashOf(pod.uid), std::move(amounts), nodes_->Hold(pod.node_name), epoch_};
  Record& record = records_[KeyOf(pod)];
  std::swap(record, earlier);
  const bool same = record.node == earlier.node && record.amounts == earlier.amounts;
  if (!same) Book(record, +1);
  if (!same) Book(earlier, -1);
  if (earlier.amounts.empty()) return;
  nodes_->Release(earlier.node);
  if (earlier.uid_hash != record.uid_hash) HasLeft(earlier);
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
  return is_bound || has_left_.contains(uid_hash);
}

PodLedger::Amounts PodLedger::AmountsOf(const model::Pod& pod) const {
  Amounts amounts;
  if (pod.node_name.empty() || pod.terminated) return amounts;
  const std::vector<std::string>& resources = catalog_->resources();
  for (const auto& [name, requested] : pod.requests) {
    const auto found = std::ranges::lower_bound(resources, name);
    if (found == resources.end() || *found != name) continue;
    const auto resource = static_cast<std::uint32_t>(found - resources.begin());
    const std::int64_t amount = std::min(requested, kMaxAmount);
    if (amount > 0) amounts.push_back({resource, amount});
  }
  return amounts;
}

void PodLedger::Remove(Records::iterator found) {
  if (found == records_.end()) return;
  Book(found->second, -1);
  nodes_->Release(found->second.node);
  HasLeft(found->second);
  records_.erase(found);
}

void PodLedger::HasLeft(const Record& record) {
  if (!has_left_.insert(record.uid_hash).second) return;
  left_.push_back(record.uid_hash);
  if (left_.size() <= kMaxLeft) return;
  has_left_.erase(left_.front());
  left_.pop_front();
}

void PodLedger::Book(const Record& record, int sign) {
  for (const Amount& entry : record.amounts) {
    nodes_->AddUsed(record.node, catalog_->resources()[entry.resource], sign * entry.amount);
  }
}

}  // namespace berth::cluster
