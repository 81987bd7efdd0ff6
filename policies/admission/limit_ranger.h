#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "model/workload.h"
#include "policies/admission/compute.h"

namespace berth::policies::admission {

/// Which limits of a pod are no user's, but the namespace's LimitRange's. Kubernetes writes them
/// before any webhook is asked and tells so in an annotation (mergePodResourceRequirements in
/// k8s.io/kubernetes/plugin/pkg/admission/limitranger/admission.go, v1.36.3): "LimitRanger plugin
/// set: cpu, memory request for container a; memory limit for init container b".
class LimitRangerDefaults {
 public:
  /// None where the annotation is absent or says something else.
  explicit LimitRangerDefaults(const model::StringMap& annotations);

  bool HasLimit(const model::Container& container, Compute resource) const;

 private:
  void ReadClause(std::string_view clause);

  std::unordered_set<std::string> limits_;  // "memory init container b"
};

}  // namespace berth::policies::admission
