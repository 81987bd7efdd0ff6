#include "cluster/affinity_index.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::cluster {
namespace {

constexpr char kAnyNamespace[] = "";

std::string FullName(const model::Pod& pod) { return pod.namespace_ + '/' + pod.name; }

/// Calls `visit` with each key of by_namespace_ that `selector` stands under.
template <typename Visit>
void ForEachNamespace(const model::PodSelector& selector, Visit visit) {
  if (selector.namespaces.empty()) return visit(std::string(kAnyNamespace));
  for (const std::string& name : selector.namespaces) visit(name);
}

}  // namespace

void AffinityIndex::Upsert(const model::Pod& pod) {
  std::string name = FullName(pod);
  const auto known = records_.find(name);
  if (pod.draws.empty() || pod.node_name.empty() || pod.terminated) return Remove(known);
  // Held before the earlier terms are let go: mostly they are the same.
  const Shapes::iterator shape = Hold(pod.draws);
  Remove(known);
  records_.emplace(std::move(name), Record{pod.uid, shape, epoch_});
}

void AffinityIndex::Keep(const kube::UnreadableObject& pod) {
  const auto found = records_.find(kube::FullNameOf(pod));
  if (found == records_.end()) return;
  if (!pod.uid.empty() && found->second.uid != pod.uid) return Remove(found);
  found->second.epoch = epoch_;
}

void AffinityIndex::Remove(const model::Pod& pod) {
  const auto found = records_.find(FullName(pod));
  if (found != records_.end() && found->second.uid == pod.uid) Remove(found);
}

void AffinityIndex::EndReplace() {
  for (auto record = records_.begin(); record != records_.end();) {
    const auto next = std::next(record);
    if (record->second.epoch != epoch_) Remove(record);
    record = next;
  }
}

bool AffinityIndex::Selects(const model::Pod& pod) const {
  return Selects(kAnyNamespace, pod.labels) || Selects(pod.namespace_, pod.labels);
}

bool AffinityIndex::Selects(const std::string& namespace_name,
                            const model::StringMap& labels) const {
  const auto found = by_namespace_.find(namespace_name);
  if (found == by_namespace_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](const auto& selector) { return model::MayMeet(selector.first, labels); });
}

void AffinityIndex::Remove(Records::iterator found) {
  if (found == records_.end()) return;
  Release(found->second.shape);
  records_.erase(found);
}

AffinityIndex::Shapes::iterator AffinityIndex::Hold(const Terms& terms) {
  const auto [shape, is_new] = shapes_.try_emplace(terms);
  ++shape->second;
  if (!is_new) return shape;
  for (const model::PodSelector& selector : terms) {
    ForEachNamespace(selector,
                     [&](const std::string& name) { ++by_namespace_[name][selector.labels]; });
  }
  return shape;
}

void AffinityIndex::Release(Shapes::iterator shape) {
  if (--shape->second > 0) return;
  for (const model::PodSelector& selector : shape->first) {
    ForEachNamespace(selector, [&](const std::string& name) {
      const auto selectors = by_namespace_.find(name);
      const auto found = selectors->second.find(selector.labels);
      if (--found->second == 0) selectors->second.erase(found);
      if (selectors->second.empty()) by_namespace_.erase(selectors);
    });
  }
  shapes_.erase(shape);
}

}  // namespace berth::cluster
