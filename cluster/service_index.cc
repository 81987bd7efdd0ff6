#include "cluster/service_index.h"

#include <algorithm>
#include <cstddef>

#include "model/pod_selector.h"

namespace berth::cluster {

namespace {

// The key of Services whose namespace cannot be read.
constexpr char kUnknownNamespace[] = "";

}  // namespace

void ServiceIndex::Upsert(const model::Service& service) {
  if (service.selector.empty()) return Remove(service);
  const auto begin = service.selector.begin();
  const auto end =
      begin + static_cast<std::ptrdiff_t>(std::min(service.selector.size(), kMaxLabels));
  by_namespace_[service.namespace_].insert_or_assign(service.name,
                                                     Record{model::StringMap(begin, end), epoch_});
}

void ServiceIndex::Quarantine(const kube::UnreadableObject& service) {
  by_namespace_[service.namespace_][service.name].epoch = epoch_;
}

void ServiceIndex::Remove(const model::Service& service) {
  const auto found = by_namespace_.find(service.namespace_);
  if (found == by_namespace_.end()) return;
  found->second.erase(service.name);
  if (found->second.empty()) by_namespace_.erase(found);
}

void ServiceIndex::EndReplace() {
  for (auto& [unused, services] : by_namespace_) {
    std::erase_if(services, [this](const auto& each) { return each.second.epoch != epoch_; });
  }
  absl::erase_if(by_namespace_, [](const auto& each) { return each.second.empty(); });
}

bool ServiceIndex::Selects(const model::Pod& pod) const {
  return Selects(kUnknownNamespace, pod.labels) || Selects(pod.namespace_, pod.labels);
}

bool ServiceIndex::Selects(const std::string& namespace_name,
                           const model::StringMap& labels) const {
  const auto found = by_namespace_.find(namespace_name);
  if (found == by_namespace_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const auto& service) {
    return model::HasAll(labels, service.second.selector);
  });
}

std::size_t ServiceIndex::size() const {
  std::size_t count = 0;
  for (const auto& [unused, services] : by_namespace_) count += services.size();
  return count;
}

}  // namespace berth::cluster
