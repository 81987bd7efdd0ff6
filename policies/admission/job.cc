#include "policies/admission/job.h"

#include <algorithm>
#include <limits>

namespace berth::policies::admission {

namespace {

// The reserved name of Kubernetes' own controller: JobControllerName in
// k8s.io/api/batch/v1/types.go (v0.36.3).
constexpr std::string_view kKubernetes = "kubernetes.io/job-controller";

}  // namespace

bool IsRunByKubernetes(const model::JobSpec& job) {
  return job.managed_by.empty() || job.managed_by == kKubernetes;
}

std::string JobSpecField(const model::Workload& workload) {
  if (!workload.template_field.empty()) {
    return workload.template_field.substr(0, workload.template_field.rfind('.'));
  }
  return workload.is_job() ? "spec" : "spec.jobTemplate.spec";
}

std::int64_t PodsAtOnce(const model::JobSpec& job) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t pods = std::min(job.parallelism, job.completions.value_or(kMost));
  return std::clamp<std::int64_t>(pods, 1, kMost);
}

bool IsMarkedRetryless(const model::PodTemplate& pod, std::string_view annotation) {
  return model::Find(pod.annotations, annotation) == "true";
}

}  // namespace berth::policies::admission
