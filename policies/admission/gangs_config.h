#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/config_field.h"

namespace berth::policies::admission {

/// By what the pods of a gang are held back.
enum class GangHold : std::uint8_t {
  /// By a scheduling gate, which every Kubernetes knows.
  kGate,
  /// By a PodGroup that is not there yet: kube-scheduler looks at none of its pods
  /// (addPodGroupMember in k8s.io/kubernetes/pkg/scheduler/backend/queue/scheduling_queue.go,
  /// v1.37.2). Kubernetes 1.37 with the feature GenericWorkload.
  kPodGroup,
};

/// How the configuration spells them.
std::span<const model::EnumName<GangHold>> EnumNames(GangHold);

/// How another controller says which of its pods belong together.
struct GangGroup {
  /// Labels of pods. Pods that have all of them, with the same values, are one group.
  std::vector<std::string> labels;
  /// The annotation or label of the pods with their number. Empty if they have none.
  std::string size;

  friend bool operator==(const GangGroup&, const GangGroup&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, GangGroup& group) {
  visit("labels", group.labels,
        "Labels of pods; pods that have all of them with the same values are a group");
  visit("size", group.size,
        "Annotation or label of the pods with their number; empty: it is in gang-size, which the "
        "templates of their owner get");
}

/// The groups of Kueue, LeaderWorkerSet, JobSet, mpi-operator, training-operator and KubeRay.
std::vector<GangGroup> KnownGangGroups();

/// The block admission.policies.gangs.
struct GangsConfig {
  /// Kinds with their groups, "jobset.x-k8s.io/JobSet", whose objects are gangs unless they say
  /// otherwise. "batch/Job" stands for indexed Jobs, "Pod" for pods of a group that says its size.
  std::vector<std::string> kinds;
  std::vector<GangGroup> groups = KnownGangGroups();
  GangHold hold = GangHold::kGate;

  friend bool operator==(const GangsConfig&, const GangsConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, GangsConfig& config) {
  visit("kinds", config.kinds,
        "Kinds whose objects are gangs without being asked, such as jobset.x-k8s.io/JobSet. "
        "batch/Job stands for indexed Jobs, Pod for pods of a group that says its size");
  visit("groups", config.groups,
        "Where controllers say which of their pods belong together: a gang is named by the first "
        "group that a pod is in, or else by its owner");
  visit("hold", config.hold,
        "By what their pods are held back: Gate, the scheduling gate berth.dev/gang; or PodGroup, "
        "a PodGroup that the controller creates when all of them have a node, for Kubernetes 1.37 "
        "with the feature GenericWorkload and planner.gangs.podGroups");
}

/// Returns every error in `config`, with paths below the block; empty if it is valid.
std::vector<model::FieldError> Validate(const GangsConfig& config);

}  // namespace berth::policies::admission
