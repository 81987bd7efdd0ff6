#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "model/workload.h"
#include "policies/admission/compute.h"

namespace berth::policies::admission {

/// Which requests and limits of a pod come from the namespace's LimitRange, and not from a user.
/// Kubernetes writes them before it asks any webhook, and lists them in an annotation
/// (mergePodResourceRequirements in
/// k8s.io/kubernetes/plugin/pkg/admission/limitranger/admission.go, v1.36.3): "LimitRanger plugin
/// set: cpu, memory request for container a; memory limit for init container b". A LimitRange with
/// `min` alone sets requests, too.
class LimitRangerDefaults {
 public:
  /// Reads the annotation. There are no such values if it is absent or has another form.
  explicit LimitRangerDefaults(const model::StringMap& annotations);

  /// Whether the LimitRange set the container's limit of the resource.
  bool HasLimit(const model::Container& container, Compute resource) const;

  /// Whether the LimitRange set the container's request of the resource.
  bool HasRequest(const model::Container& container, Compute resource) const;

  /// Whether the container has a request of the resource, but only because the LimitRange set it,
  /// and no limit. Its author then has written nothing about the resource.
  bool HasNothingButRequest(const model::Container& container, Compute resource) const;

 private:
  bool Has(std::string_view what, const model::Container& container, Compute resource) const;
  // Reads one part between semicolons.
  void ReadClause(std::string_view clause);

  std::unordered_set<std::string> set_;  // "memory limit for init container b"
};

/// Returns the pod without the requests of which HasNothingButRequest() is true.
model::PodTemplate WithoutDefaultRequests(model::PodTemplate pod);

}  // namespace berth::policies::admission
