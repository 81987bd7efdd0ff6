#pragma once

#include "model/amount.h"
#include "model/workload.h"
#include "policies/admission/compute.h"
#include "policies/admission/draft.h"
#include "policies/admission/grouped_remarks.h"
#include "policies/admission/guaranteed_qos_config.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Makes request and limit of cpu and memory equal in every container that sets one or both of
/// them. A request that only the LimitRange set does not count as one. `config` decides about a cpu
/// limit above the request. A limit that the namespace's LimitRange set gives way to a higher
/// request. Leaves alone what QosObjections() objects to: a user's limit below the request, and
/// negative quantities, which the API server rejects.
void EqualizeContainers(const GuaranteedQosConfig& config, Draft& draft, GroupedRemarks& remarks);

/// The same for spec.resources, which the pod must have. The values do not fall below what the
/// containers need, because the API server rejects that (validatePodResourceConsistency in
/// k8s.io/kubernetes/pkg/apis/core/validation/validation.go, v1.36.3).
void EqualizePod(CpuRule rule, Draft& draft, Remarks& remarks);

/// The minimum of spec.resources that the containers require: the sum of their requests, and at
/// least each one's limit.
model::Amount LeastForContainers(const model::PodTemplate& pod, Compute resource);

}  // namespace berth::policies::admission
