#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/workload.h"

// Facts about Jobs that several policies need.

namespace berth::policies::admission {

/// Whether Kubernetes' own controller runs the Job, and not another one that spec.managedBy names.
bool IsRunByKubernetes(const model::JobSpec& job);

/// The path of the Job's spec in a Job or an object that makes Jobs: "spec",
/// "spec.jobTemplate.spec", "spec.replicatedJobs[0].template.spec".
std::string JobSpecField(const model::Workload& workload);

/// How many pods of the Job run at the same time, at least 1. Less than 2^31.
std::int64_t PodsAtOnce(const model::JobSpec& job);

/// Whether the pods have the annotation of a Job that has no limits and therefore no retries
/// (model::kRetrylessAnnotation), with the value "true".
bool IsMarkedRetryless(const model::PodTemplate& pod, std::string_view annotation);

}  // namespace berth::policies::admission
