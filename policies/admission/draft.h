#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/quantity.h"
#include "model/workload.h"

namespace berth::policies::admission {

/// Which of two metadata: that of the object, or that of its pods. The same for a pod.
enum class Metadata { kObject, kPods };

/// A workload while policies work on it. Everything of it can be read; what can be written is what
/// has a setter here, so this class is the list of writable paths (docs/admission.md shows it as
/// such). A setter does nothing where it is so already. Thread-compatible.
class Draft {
 public:
  explicit Draft(model::Workload workload);

  /// As it was written.
  const model::Workload& original() const { return original_; }

  /// As it is by now.
  const model::Workload& workload() const { return workload_; }
  const model::PodTemplate& pod() const { return workload_.pod; }

  /// How often something was written so far; more than before: it was changed in between.
  std::size_t writes() const { return writes_; }

  /// metadata.annotations[name]. `name` is below Berth's prefix.
  void SetAnnotation(Metadata where, std::string_view name, std::string value);
  void RemoveAnnotation(Metadata where, std::string_view name);

  /// resources.requests and .limits of a container, by its position in pod().containers.
  void SetRequest(std::size_t container, std::string_view resource, model::Quantity quantity);
  void SetLimit(std::size_t container, std::string_view resource, model::Quantity quantity);

  /// spec.resources of a pod that has it.
  void SetPodRequest(std::string_view resource, model::Quantity quantity);
  void SetPodLimit(std::string_view resource, model::Quantity quantity);

  /// Has every non-empty term of the required node affinity demand it, too; makes the affinity
  /// where there is none. False where all terms are empty: no node fits then, and nothing is
  /// changed.
  bool RequireOfNodes(const model::NodeRequirement& requirement);

  /// spec.volumes, volumeMounts and env of a container: appended, never replaced.
  void AddVolume(model::Volume volume);
  void AddMount(std::size_t container, model::VolumeMount mount);
  void AddEnv(std::size_t container, model::EnvVar env);

  /// spec of the pods.
  void SetTerminationGracePeriod(std::int64_t seconds);
  void SetRestartPolicy(std::string policy);
  void SetSchedulerName(std::string name);

  /// spec of the Job; without a Job nothing.
  void SetBackoffLimit(std::int64_t limit);
  void SetBackoffLimitPerIndex(std::int64_t limit);
  void SetPodReplacementPolicy(std::string policy);

  /// podFailurePolicy.rules; made where there is none. The first rule that matches decides.
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
