#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "model/workload.h"
#include "policies/admission/compute.h"

namespace berth::policies::admission {

/// Which limits of a pod come from the namespace's LimitRange, and not from a user. Kubernetes
/// writes them before it asks any webhook, and lists them in an annotation
/// (mergePodResourceRequirements in
/// k8s.io/kubernetes/plugin/pkg/admission/limitranger/admission.go, v1.36.3): "LimitRanger plugin
/// set: cpu, memory request for container a; memory limit for init container b".
class LimitRangerDefaults {
 public:
  /// Reads the annotation. There are no such limits if it is absent or has another form.
  explicit LimitRangerDefaults(const model::StringMap& annotations);

  /// Whether the LimitRange set the container's limit of the resource.
  bool HasLimit(const model::Container& container, Compute resource) const;

 private:
  // Reads one part between semicolons.
  void ReadClause(std::string_view clause);

  std::unordered_set<std::string> limits_;  // "memory init container b"
};

}  // namespace berth::policies::admission
