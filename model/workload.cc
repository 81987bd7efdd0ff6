#include "model/workload.h"

namespace berth::model {

std::string FieldOf(const Container& container) {
  return (container.init ? "initContainers[" : "containers[") + std::to_string(container.index) +
         "]";
}

const StringMap& ObjectAnnotations(const Workload& workload) {
  return workload.is_pod() ? workload.pod.annotations : workload.annotations;
}

const OwnerReference* ControllingOwner(const Workload& workload) {
  for (const OwnerReference& owner : workload.owners) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

bool IsJob(const OwnerReference& owner) { return owner.kind == "Job" && owner.group == "batch"; }

bool IsSet(const ResourceList& list, std::string_view resource) {
  const auto found = list.find(resource);
  return found != list.end() && found->second.Sign() > 0;
}

}  // namespace berth::model
