#include "cluster/nominated_pods.h"

#include <utility>

#include "cluster/pod_ledger.h"
#include "model/accelerator_requests.h"

namespace berth::cluster {

namespace {

NominatedPod Trimmed(model::Pod pod, const model::AcceleratorCatalog& catalog) {
  NominatedPod nominated{.key = PodLedger::KeyOf(pod), .pod = {}, .devices = {}};
  for (const auto& [resource, amount] : model::AcceleratorRequests(pod, catalog)) {
    nominated.devices.Add(resource, amount);
  }
  nominated.pod.namespace_ = std::move(pod.namespace_);
  nominated.pod.name = std::move(pod.name);
  nominated.pod.uid = std::move(pod.uid);
  nominated.pod.nominated_node = std::move(pod.nominated_node);
  nominated.pod.priority = pod.priority;
  nominated.pod.requests = model::CountedRequests(std::move(pod.requests), catalog);
  nominated.pod.host_ports = std::move(pod.host_ports);
  return nominated;
}

}  // namespace

void NominatedPods::OnReplaceBegin() {
  const std::lock_guard lock(mutex_);
  ++epoch_;
}

void NominatedPods::OnReplaceEnd(const std::string&) {
  const std::lock_guard lock(mutex_);
  std::erase_if(records_, [this](const auto& each) { return each.second.epoch != epoch_; });
}

void NominatedPods::OnUpsert(model::Pod pod) {
  const bool waits = pod.node_name.empty() && !pod.terminated && !pod.nominated_node.empty();
  NominatedPod nominated = Trimmed(std::move(pod), *catalog_);
  const std::lock_guard lock(mutex_);
  if (!waits) {
    records_.erase(nominated.key);
    return;
  }
  std::string key = nominated.key;
  records_.insert_or_assign(std::move(key), Record{std::move(nominated), epoch_});
}

void NominatedPods::OnUnreadable(const kube::UnreadableObject& pod) {
  const std::lock_guard lock(mutex_);
  const auto known = records_.find(pod.namespace_ + '/' + pod.name);
  if (known == records_.end()) return;
  if (pod.uid.empty() || known->second.pod.pod.uid == pod.uid) {
    known->second.epoch = epoch_;
  } else {
    records_.erase(known);
  }
}

void NominatedPods::OnDelete(model::Pod pod) {
  const std::lock_guard lock(mutex_);
  const auto known = records_.find(PodLedger::KeyOf(pod));
  if (known != records_.end() && known->second.pod.pod.uid == pod.uid) records_.erase(known);
}

bool NominatedPods::empty() const {
  const std::lock_guard lock(mutex_);
  return records_.empty();
}

}  // namespace berth::cluster
