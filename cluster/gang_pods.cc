#include "cluster/gang_pods.h"

#include <utility>

namespace berth::cluster {
namespace {

std::string KeyOfGangPod(const model::Pod& pod) { return pod.namespace_ + '/' + pod.name; }

}  // namespace

std::string GangPods::GangKeyOf(const model::Pod& pod) const {
  const bool runs = !pod.node_name.empty() && !pod.terminated && pod.deleted == model::kNoTime;
  if (!runs) return "";
  const auto gang = model::GangOf(pod.annotations, names_);
  return gang.ok() && gang->has_value() ? pod.namespace_ + '/' + (*gang)->name : "";
}

void GangPods::Upsert(const model::Pod& pod) {
  if (!enabled_) return;
  const std::string key = KeyOfGangPod(pod);
  Erase(key);
  std::string gang = GangKeyOf(pod);
  if (gang.empty()) return;
  places_[gang][key] = {.node = pod.node_name, .bound = pod.bound};
  if (const auto eviction = model::GangEvictionOf(pod.annotations, pod.created, names_)) {
    evictions_.emplace(key, *eviction);
  }
  records_[key] = {.uid = pod.uid, .gang = std::move(gang), .epoch = epoch_};
}

void GangPods::Keep(const kube::UnreadableObject& pod) {
  const std::string key = kube::FullNameOf(pod);
  const auto found = records_.find(key);
  if (found == records_.end()) return;
  if (!pod.uid.empty() && found->second.uid != pod.uid) return Erase(key);
  found->second.epoch = epoch_;
}

void GangPods::Remove(const model::Pod& pod) {
  const std::string key = KeyOfGangPod(pod);
  const auto found = records_.find(key);
  if (found != records_.end() && found->second.uid == pod.uid) Erase(key);
}

void GangPods::EndReplace() {
  std::vector<std::string> gone;
  for (const auto& [key, record] : records_) {
    if (record.epoch != epoch_) gone.push_back(key);
  }
  for (const std::string& key : gone) Erase(key);
}

void GangPods::Erase(const std::string& key) {
  const auto found = records_.find(key);
  if (found == records_.end()) return;
  const auto gang = places_.find(found->second.gang);
  gang->second.erase(key);
  if (gang->second.empty()) places_.erase(gang);
  evictions_.erase(key);
  records_.erase(found);
}

std::vector<std::string> GangPods::NodesOf(const std::string& gang) const {
  std::vector<std::string> nodes;
  const auto found = places_.find(gang);
  if (found == places_.end()) return nodes;
  for (const auto& [pod, place] : found->second) nodes.push_back(place.node);
  return nodes;
}

std::vector<model::Time> GangPods::BoundTimes(const std::string& gang) const {
  std::vector<model::Time> times;
  const auto found = places_.find(gang);
  if (found == places_.end()) return times;
  for (const auto& [pod, place] : found->second) {
    if (place.bound == model::kNoTime) return {};
    times.push_back(place.bound);
  }
  return times;
}

std::map<std::string, model::GangEviction> GangPods::Evictions() const {
  std::map<std::string, model::GangEviction> evictions;
  for (const auto& [pod, eviction] : evictions_) {
    const auto [known, is_new] = evictions.emplace(records_.at(pod).gang, eviction);
    if (!is_new && known->second.began < eviction.began) known->second = eviction;
  }
  return evictions;
}

}  // namespace berth::cluster
