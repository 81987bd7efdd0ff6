#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/quantity.h"
#include "model/workload.h"

namespace berth::policies::admission {

/// Which metadata an annotation belongs to: that of the object or that of its pods. For a pod both
/// are the same.
enum class Metadata { kObject, kPods };

/// A workload while policies work on it. Policies can read all of it, but write only what has a
/// setter here. So this class is the closed list of writable paths (see docs/admission.md). Each
/// setter names its path; "pods" stands for the object if it is a pod, and for its pod template
/// otherwise.
///
/// A setter has no effect if the field already has that value. Positions of containers and rules
/// must be in range. Thread-compatible.
class Draft {
 public:
  /// `workload` is the object as its author wrote it.
  explicit Draft(model::Workload workload);

  /// The workload as its author wrote it.
  const model::Workload& original() const { return original_; }

  /// The workload with all changes so far. References into it stay valid until the next setter.
  const model::Workload& workload() const { return workload_; }
  const model::PodTemplate& pod() const { return workload_.pod; }

  /// The number of changes so far. If it has grown between two calls, the workload was changed in
  /// between.
  std::size_t writes() const { return writes_; }

  /// metadata.annotations[name] of the object or its pods. `name` is a full name with Berth's
  /// prefix.
  void SetAnnotation(Metadata where, std::string_view name, std::string value);

  /// The same path. No effect if there is no such annotation.
  void RemoveAnnotation(Metadata where, std::string_view name);

  /// Pods: resources.requests[resource] of a container, by its position in pod().containers.
  /// Quantities are compared by amount: "1Gi" does not replace "1024Mi".
  void SetRequest(std::size_t container, std::string_view resource, model::Quantity quantity);

  /// Pods: resources.limits[resource] of a container, in the same way.
  void SetLimit(std::size_t container, std::string_view resource, model::Quantity quantity);

  /// Pods: spec.resources.requests[resource]. No effect if the pods have no spec.resources.
  void SetPodRequest(std::string_view resource, model::Quantity quantity);

  /// Pods: spec.resources.limits[resource]. No effect if the pods have no spec.resources.
  void SetPodLimit(std::string_view resource, model::Quantity quantity);

  /// Pods: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution. Adds
  /// `requirement` to every non-empty term, and creates the affinity if there is none. Terms that
  /// have it already stay as they are. Returns false, and changes nothing, if all terms are empty:
  /// such an affinity matches no node.
  bool RequireOfNodes(const model::NodeRequirement& requirement);

  /// Pods: appends to spec.volumes. This and the next two never replace anything.
  void AddVolume(model::Volume volume);

  /// Pods: appends to volumeMounts of a container.
  void AddMount(std::size_t container, model::VolumeMount mount);

  /// Pods: appends to env of a container.
  void AddEnv(std::size_t container, model::EnvVar env);

  /// Pods: spec.terminationGracePeriodSeconds.
  void SetTerminationGracePeriod(std::int64_t seconds);

  /// Pods: spec.restartPolicy.
  void SetRestartPolicy(std::string policy);

  /// Pods: restartPolicy of a container.
  void SetContainerRestartPolicy(std::size_t container, std::string policy);

  /// Pods: removes restartPolicyRules of a container.
  void RemoveRestartRules(std::size_t container);

  /// Pods: resizePolicy[entry].restartPolicy of a container. `entry` must be in range.
  void SetResizeRestart(std::size_t container, std::size_t entry, std::string policy);

  /// Pods: spec.schedulerName.
  void SetSchedulerName(std::string name);

  /// Pods: appends to spec.schedulingGates. No effect if the gate is there.
  void AddSchedulingGate(std::string name);

  /// Pods: spec.schedulingGroup.podGroupName.
  void SetSchedulingGroup(std::string pod_group);

  /// Pod: removes status.qosClass. No effect on other objects.
  void RemoveQosClass();

  /// Job: spec.backoffLimit. This and all below have no effect if the workload has no Job.
  void SetBackoffLimit(std::int64_t limit);

  /// Job: spec.backoffLimitPerIndex.
  void SetBackoffLimitPerIndex(std::int64_t limit);

  /// Job: spec.podReplacementPolicy.
  void SetPodReplacementPolicy(std::string policy);

  /// Job: puts a rule before all others of spec.podFailurePolicy.rules, and creates the list if
  /// there is none. The first rule that matches a failed pod decides.
  void PrependFailureRule(model::FailureRule rule);

  /// Job: the same after all others.
  void AppendFailureRule(model::FailureRule rule);

  /// Job: the action of the rule at that position of the list.
  void SetFailureRuleAction(std::size_t rule, std::string action);

 private:
  template <typename T>
  // Writes and counts the change, unless the values are equal.
  void Write(T& field, T value);
  void Write(model::ResourceList& list, std::string_view resource, model::Quantity quantity);
  // The annotations of the object or of its pods.
  model::StringMap& Annotations(Metadata where);
  void InsertFailureRule(bool front, model::FailureRule rule);

  const model::Workload original_;
  model::Workload workload_;
  std::size_t writes_ = 0;
};

}  // namespace berth::policies::admission
