#pragma once

#include <string>
#include <string_view>

#include "model/workload.h"

namespace berth::policies::admission {

/// Whether Kubernetes' own controller runs the Job, and not what spec.managedBy names.
bool IsRunByKubernetes(const model::JobSpec& job);

/// Where the Job's spec is within what is a Job or makes Jobs: "spec", "spec.jobTemplate.spec".
std::string JobSpecField(const model::Workload& workload);

/// The annotation of the pods of a Job that goes without limits and therefore without retries.
std::string RetrylessAnnotation(std::string_view prefix);

/// Whether the pods have that annotation.
bool IsMarkedRetryless(const model::PodTemplate& pod, std::string_view annotation);

}  // namespace berth::policies::admission
