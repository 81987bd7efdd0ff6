#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/workload.h"
#include "policies/admission/policy.h"

// Whose retries count: a Job's own, its operator's, or those that Berth allows.
namespace berth::policies::admission {

/// Whether an operator makes the Job for an object that restarts it as a whole: the Job's
/// controlling owner is of one of the kinds `owners` ("jobset.x-k8s.io/JobSet"), and the request
/// comes from where operators are. That is a configured controller of that kind, or a service
/// account of another namespace than the Job's. Users could write any owner, but have service
/// accounts in their own namespaces only.
bool IsRestartedByOwner(const Request& request, const model::Workload& workload,
                        const std::vector<std::string>& owners);

/// Whether the Job or its pods have the annotation with the value "own". `annotation` is the full
/// name of model::kRetriesAnnotation.
bool AsksForOwnRetries(const model::Workload& workload, std::string_view annotation);

/// Whether `text` is a kind with its group, such as "jobset.x-k8s.io/JobSet".
bool IsKindOfGroup(std::string_view text);

}  // namespace berth::policies::admission
