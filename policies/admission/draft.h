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
/// setter here. So this class is the closed list of writable paths (see docs/admission.md).
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

  /// Set or remove metadata.annotations[name]. `name` is a full name with Berth's prefix.
  void SetAnnotation(Metadata where, std::string_view name, std::string value);
  void RemoveAnnotation(Metadata where, std::string_view name);

  /// resources.requests and .limits of a container, by its position in pod().containers. Quantities
  /// are compared by amount: "1Gi" does not replace "1024Mi".
  void SetRequest(std::size_t container, std::string_view resource, model::Quantity quantity);
  void SetLimit(std::size_t container, std::string_view resource, model::Quantity quantity);

  /// spec.resources of the pods. No effect if the pods have none.
  void SetPodRequest(std::string_view resource, model::Quantity quantity);
  void SetPodLimit(std::string_view resource, model::Quantity quantity);

  /// Adds `requirement` to every non-empty term of the required node affinity, and creates the
  /// affinity if there is none. Terms that have it already stay as they are. Returns false, and
  /// changes nothing, if all terms are empty: such an affinity matches no node.
  bool RequireOfNodes(const model::NodeRequirement& requirement);

  /// spec.volumes, and volumeMounts and env of a container. The setters append and never replace.
  void AddVolume(model::Volume volume);
  void AddMount(std::size_t container, model::VolumeMount mount);
  void AddEnv(std::size_t container, model::EnvVar env);

  /// spec of the pods. The grace period is in seconds.
  void SetTerminationGracePeriod(std::int64_t seconds);
  void SetRestartPolicy(std::string policy);
  void SetSchedulerName(std::string name);

  /// spec of the Job. No effect if the workload has no Job.
  void SetBackoffLimit(std::int64_t limit);
  void SetBackoffLimitPerIndex(std::int64_t limit);
  void SetPodReplacementPolicy(std::string policy);

  /// spec.podFailurePolicy.rules of the Job; created if there are none. The first rule that matches
  /// a failed pod decides. `rule` of SetFailureRuleAction is a position in that list.
  void PrependFailureRule(model::FailureRule rule);
  void AppendFailureRule(model::FailureRule rule);
  void SetFailureRuleAction(std::size_t rule, std::string action);

 private:
  template <typename T>
  void Write(T& field, T value);
  void Write(model::ResourceList& list, std::string_view resource, model::Quantity quantity);
  model::StringMap& Annotations(Metadata where);
  void InsertFailureRule(bool front, model::FailureRule rule);

  const model::Workload original_;
  model::Workload workload_;
  std::size_t writes_ = 0;
};

}  // namespace berth::policies::admission
