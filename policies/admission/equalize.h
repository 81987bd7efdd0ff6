#pragma once

#include "model/amount.h"
#include "model/workload.h"
#include "policies/admission/compute.h"
#include "policies/admission/draft.h"
#include "policies/admission/grouped_remarks.h"
#include "policies/admission/guaranteed_qos_config.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Makes request and limit the same wherever a container sets one of them, or both.
void EqualizeContainers(CpuRule rule, Draft& draft, GroupedRemarks& remarks);

/// The same of spec.resources, which the pod must have. What is set is kept above what its
/// containers need, as the API server demands it (validatePodResourceConsistency in
/// k8s.io/kubernetes/pkg/apis/core/validation/validation.go, v1.36.3).
void EqualizePod(CpuRule rule, Draft& draft, Remarks& remarks);

/// What spec.resources must have at least, for the sake of the containers: their requests together,
/// and each one's limit.
model::Amount LeastForContainers(const model::PodTemplate& pod, Compute resource);

}  // namespace berth::policies::admission
