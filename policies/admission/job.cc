#include "policies/admission/job.h"

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
  return workload.is_job() ? "spec" : "spec.jobTemplate.spec";
}

bool IsMarkedRetryless(const model::PodTemplate& pod, std::string_view annotation) {
  return model::Find(pod.annotations, annotation) == "true";
}

}  // namespace berth::policies::admission
