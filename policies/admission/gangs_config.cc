#include "policies/admission/gangs_config.h"

#include <cstddef>

#include "model/label.h"
#include "policies/admission/retry_rights.h"

namespace berth::policies::admission {

namespace {

std::string PlaceIn(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

void ValidateGroup(const GangGroup& group, const std::string& path,
                   std::vector<model::FieldError>& errors) {
  if (group.labels.empty()) {
    errors.push_back({path + ".labels", "is empty; write a label of the pods of a group"});
  }
  for (std::size_t i = 0; i < group.labels.size(); ++i) {
    if (model::IsQualifiedName(group.labels[i])) continue;
    errors.push_back({PlaceIn(path + ".labels", i),
                      "is not the name of a label; write one such as example.com/group"});
  }
  if (group.size.empty() || model::IsQualifiedName(group.size)) return;
  errors.push_back({path + ".size",
                    "is not the name of an annotation or label; write one such as "
                    "example.com/group-size"});
}

}  // namespace

std::span<const model::EnumName<GangHold>> EnumNames(GangHold) {
  static constexpr model::EnumName<GangHold> kNames[] = {{GangHold::kGate, "Gate"},
                                                         {GangHold::kPodGroup, "PodGroup"}};
  return kNames;
}

// The names are those of Kueue v0.15.0 (pkg/controller/jobs/pod/constants), LeaderWorkerSet v0.7.0
// and JobSet v0.12.0 (their APIs), mpi-operator v0.8.2 and training-operator v1.9.4 (JobNameLabel),
// and KubeRay v1.5.1 (RayClusterLabelKey).
std::vector<GangGroup> KnownGangGroups() {
  return {
      {.labels = {"kueue.x-k8s.io/pod-group-name"}, .size = "kueue.x-k8s.io/pod-group-total-count"},
      {.labels = {"leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/group-key"},
       .size = "leaderworkerset.sigs.k8s.io/size"},
      {.labels = {"jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/jobset-uid"}, .size = ""},
      {.labels = {"training.kubeflow.org/job-name"}, .size = ""},
      {.labels = {"ray.io/cluster"}, .size = ""}};
}

std::vector<model::FieldError> Validate(const GangsConfig& config) {
  std::vector<model::FieldError> errors;
  for (std::size_t i = 0; i < config.kinds.size(); ++i) {
    if (config.kinds[i] == "Pod" || IsKindOfGroup(config.kinds[i])) continue;
    errors.push_back(
        {PlaceIn("kinds", i), "'" + config.kinds[i] +
                                  "' is not a kind with its group; write one such as batch/Job or "
                                  "jobset.x-k8s.io/JobSet, or Pod"});
  }
  for (std::size_t i = 0; i < config.groups.size(); ++i) {
    ValidateGroup(config.groups[i], PlaceIn("groups", i), errors);
  }
  return errors;
}

}  // namespace berth::policies::admission
