#include "cluster/checkpoint_times.h"

#include <optional>

#include "model/annotation.h"
#include "model/avoid.h"

namespace berth::cluster {

namespace {

bool IsCheckpointedAt(std::string_view annotation) {
  constexpr std::string_view kName = model::kCheckpointedAtAnnotation.name;
  return annotation.ends_with(kName) &&
         annotation.substr(0, annotation.size() - kName.size()).ends_with('/');
}

std::optional<std::string_view> TimeSaidBy(const model::Pod& pod) {
  for (const auto& [name, value] : pod.annotations) {
    if (IsCheckpointedAt(name)) return value;
  }
  return std::nullopt;
}

}  // namespace

void CheckpointTimes::Upsert(const model::Pod& pod) {
  if (!enabled_) return;
  const auto said = TimeSaidBy(pod);
  if (!said || pod.node_name.empty() || pod.terminated) return Remove(pod);
  records_.insert_or_assign(pod.uid,
                            Record{.pod = pod.namespace_ + '/' + pod.name,
                                   .at = model::TimeFromRfc3339(*said).value_or(model::kNoTime),
                                   .priority = pod.priority,
                                   .epoch = epoch_});
}

void CheckpointTimes::Keep(const kube::UnreadableObject& pod) {
  const auto found = records_.find(pod.uid);
  if (found != records_.end()) found->second.epoch = epoch_;
}

void CheckpointTimes::Remove(const model::Pod& pod) { records_.erase(pod.uid); }

void CheckpointTimes::EndReplace() {
  absl::erase_if(records_, [this](const auto& each) { return each.second.epoch != epoch_; });
}

const CheckpointTimes::Record* CheckpointTimes::Find(std::string_view uid) const {
  const auto found = records_.find(std::string(uid));
  return found != records_.end() ? &found->second : nullptr;
}

}  // namespace berth::cluster
