#include "board/pod_table.h"

#include <utility>

#include "model/accelerator_requests.h"
#include "model/annotation.h"
#include "policies/admission/wording.h"

namespace berth::board {

namespace {

using policies::admission::OneLine;

std::string KeyOfPod(const std::string& namespace_name, const std::string& name) {
  return namespace_name + '/' + name;
}

// A pod keeps only Berth's own annotations: others, such as that of `kubectl apply`, may be long,
// and nothing reads them, neither the board nor the explanations that it asks for. What exceeds the
// limits is nothing that Berth has a use for.
void TrimAnnotations(const std::string& prefix, model::Pod& pod) {
  std::erase_if(pod.annotations, [&](const auto& each) { return !each.first.starts_with(prefix); });
  if (pod.annotations.size() > PodTable::kMostAnnotations) {
    pod.annotations.resize(PodTable::kMostAnnotations);
  }
  for (auto& [name, value] : pod.annotations) {
    if (value.size() > PodTable::kMostAnnotation) value = OneLine(value, PodTable::kMostAnnotation);
  }
  pod.annotations.shrink_to_fit();
}

}  // namespace

PodTable::PodTable(std::shared_ptr<const model::AcceleratorCatalog> catalog,
                   const std::string& prefix)
    : catalog_(std::move(catalog)),
      created_by_(model::kCreatedByAnnotation.Below(prefix)),
      prefix_(prefix + '/') {}

bool PodTable::IsShown(const model::Pod& pod) const {
  if (pod.terminated) return false;
  return pod.node_name.empty() || !model::AcceleratorRequests(pod, *catalog_).empty();
}

std::string PodTable::OwnerOf(const model::Pod& pod) const {
  const auto creator = model::Find(pod.annotations, created_by_);
  return OneLine(creator && !creator->empty() ? *creator : std::string_view(pod.namespace_),
                 kMostOwner);
}

void PodTable::Upsert(model::Pod pod) {
  std::string owner = OwnerOf(pod);
  TrimAnnotations(prefix_, pod);
  std::string key = KeyOfPod(pod.namespace_, pod.name);
  const auto found = entries_.find(key);
  if (found != entries_.end() && found->second.pod == pod && found->second.owner == owner) {
    found->second.epoch = epoch_;
    return;
  }
  if (found != entries_.end()) Erase(found);
  if (!IsShown(pod)) return;
  const auto added =
      entries_.emplace(std::move(key), Entry{std::move(pod), std::move(owner), epoch_}).first;
  Link(added->first, added->second);
}

void PodTable::Delete(const model::Pod& pod) {
  const auto found = entries_.find(KeyOfPod(pod.namespace_, pod.name));
  if (found != entries_.end() && found->second.pod.uid == pod.uid) Erase(found);
}

void PodTable::Keep(const std::string& namespace_name, const std::string& name) {
  const auto found = entries_.find(KeyOfPod(namespace_name, name));
  if (found != entries_.end()) found->second.epoch = epoch_;
}

void PodTable::EndReplace() {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->second.epoch != epoch_) Erase(entry);
    entry = next;
  }
}

const PodTable::Entry* PodTable::Find(const std::string& namespace_name,
                                      const std::string& name) const {
  const auto found = entries_.find(KeyOfPod(namespace_name, name));
  return found == entries_.end() ? nullptr : &found->second;
}

const PodTable::Entries& PodTable::On(const std::string& node, bool planned) const {
  static const Entries none;
  const auto& by_node = planned ? planned_ : bound_;
  const auto found = by_node.find(node);
  return found == by_node.end() ? none : found->second;
}

void PodTable::Link(const std::string& key, const Entry& entry) {
  if (!entry.Waits()) {
    bound_[entry.pod.node_name].emplace(key, &entry);
    touched_.insert(entry.pod.node_name);
    return;
  }
  ++waiting_version_;
  waiting_.emplace(key, &entry);
  if (entry.pod.nominated_node.empty()) return;
  planned_[entry.pod.nominated_node].emplace(key, &entry);
  touched_.insert(entry.pod.nominated_node);
}

void PodTable::Unlink(const std::string& key, const Entry& entry) {
  const std::string& node = entry.Waits() ? entry.pod.nominated_node : entry.pod.node_name;
  if (entry.Waits()) {
    ++waiting_version_;
    waiting_.erase(key);
  }
  auto& by_node = entry.Waits() ? planned_ : bound_;
  const auto found = by_node.find(node);
  if (found == by_node.end()) return;
  found->second.erase(key);
  touched_.insert(node);
  if (found->second.empty()) by_node.erase(found);
}

void PodTable::Erase(std::unordered_map<std::string, Entry>::iterator found) {
  Unlink(found->first, found->second);
  entries_.erase(found);
}

}  // namespace berth::board
