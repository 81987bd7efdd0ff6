#include "cluster/affinity_index.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace berth::cluster {
namespace {

constexpr char kAnyNamespace[] = "";

std::string FullName(const model::Pod& pod) { return pod.namespace_ + '/' + pod.name; }

/// Calls visit(key) for each key of by_namespace_ under which `selector` is stored.
template <typename Visit>
void ForEachNamespace(const model::PodSelector& selector, Visit visit) {
  if (selector.namespaces.empty()) return visit(std::string(kAnyNamespace));
  for (const std::string& name : selector.namespaces) visit(name);
}

std::size_t BytesOf(const std::string& text) { return sizeof(std::string) + text.size(); }

// The bytes of a selector's labels.
std::size_t BytesOf(const std::vector<model::LabelRequirement>& labels) {
  std::size_t bytes = sizeof(std::vector<model::LabelRequirement>);
  for (const model::LabelRequirement& label : labels) {
    bytes += BytesOf(label.key) + BytesOf(label.op) + sizeof(decltype(label.values));
    for (const std::string& value : label.values) bytes += BytesOf(value);
  }
  return bytes;
}

// The bytes of a pod's terms. The labels of a term are stored once more for each of its namespaces.
std::size_t BytesOf(const std::vector<model::PodSelector>& terms) {
  std::size_t bytes = 0;
  for (const model::PodSelector& term : terms) {
    const std::size_t places = std::max<std::size_t>(term.namespaces.size(), 1);
    bytes += sizeof(term) + BytesOf(term.labels) * (places + 1);
    for (const std::string& name : term.namespaces) bytes += BytesOf(name);
  }
  return bytes;
}

// Returns one term that selects every pod of the namespaces of `terms`.
std::vector<model::PodSelector> Widened(const std::vector<model::PodSelector>& terms) {
  std::set<std::string> namespaces;
  for (const model::PodSelector& term : terms) {
    namespaces.insert(term.namespaces.begin(), term.namespaces.end());
    const bool any = term.namespaces.empty();
    if (any || namespaces.size() > AffinityIndex::kMaxNamespaces) return {model::PodSelector()};
  }
  model::PodSelector every;
  every.namespaces.assign(namespaces.begin(), namespaces.end());
  return {every};
}

}  // namespace

void AffinityIndex::Upsert(const model::Pod& pod) {
  std::string name = FullName(pod);
  const auto known = records_.find(name);
  if (pod.affinity_terms.empty() || pod.node_name.empty() || pod.terminated) return Remove(known);
  // Hold the new terms before releasing the earlier ones: they are mostly the same.
  const Shapes::iterator shape = HoldWithin(pod.affinity_terms);
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

bool AffinityIndex::Fits(const Terms& terms, std::size_t most) const {
  const std::size_t bytes = BytesOf(terms);
  return (bytes <= kMaxPodBytes && bytes_ + bytes <= most) || shapes_.contains(terms);
}

AffinityIndex::Shapes::iterator AffinityIndex::HoldWithin(const Terms& terms) {
  if (Fits(terms, kMaxExactBytes)) return Hold(terms);
  const Terms widened = Widened(terms);
  // All pods share the last.
  return Fits(widened, kMaxBytes) ? Hold(widened) : Hold({model::PodSelector()});
}

AffinityIndex::Shapes::iterator AffinityIndex::Hold(const Terms& terms) {
  const auto [shape, is_new] = shapes_.try_emplace(terms);
  ++shape->second;
  if (!is_new) return shape;
  bytes_ += BytesOf(terms);
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
  bytes_ -= BytesOf(shape->first);
  shapes_.erase(shape);
}

}  // namespace berth::cluster
