#include "cluster/terminating_pods.h"

namespace berth::cluster {
namespace {

std::string KeyOfPod(const model::Pod& pod) { return pod.namespace_ + '/' + pod.name; }

bool IsTerminating(const model::Pod& pod) {
  return pod.deleted != model::kNoTime && !pod.job.empty() && !pod.node_name.empty() &&
         !pod.terminated;
}

}  // namespace

void TerminatingPods::Upsert(const model::Pod& pod) {
  const bool counts = IsTerminating(pod);
  if (!counts && records_.empty()) return;
  if (!counts) {
    records_.erase(KeyOfPod(pod));
    return;
  }
  records_.insert_or_assign(KeyOfPod(pod), Record{.namespace_name = pod.namespace_,
                                                  .name = pod.name,
                                                  .uid = pod.uid,
                                                  .node = pod.node_name,
                                                  .job = pod.job,
                                                  .deleted = pod.deleted,
                                                  .epoch = epoch_});
}

void TerminatingPods::Keep(const kube::UnreadableObject& pod) {
  const auto found = records_.find(kube::FullNameOf(pod));
  if (found == records_.end()) return;
  if (!pod.uid.empty() && found->second.uid != pod.uid) {
    records_.erase(found);
    return;
  }
  found->second.epoch = epoch_;
}

void TerminatingPods::Remove(const model::Pod& pod) {
  const auto found = records_.find(KeyOfPod(pod));
  if (found != records_.end() && found->second.uid == pod.uid) records_.erase(found);
}

void TerminatingPods::EndReplace() {
  std::erase_if(records_, [this](const auto& record) { return record.second.epoch != epoch_; });
}

}  // namespace berth::cluster
