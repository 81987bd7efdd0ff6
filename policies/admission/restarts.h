#pragma once

#include <vector>

#include "model/workload.h"
#include "policies/admission/policy.h"

// Restarts in place. kubelet restarts a container that has failed if the pod's restartPolicy, or
// the container's own fields, say so. The Job does not count such a restart, unless the pod's
// restartPolicy is OnFailure.
namespace berth::policies::admission {

/// Sets all that has kubelet restart a failed container to Never: the pod's restartPolicy and that
/// of each container, and removes restartPolicyRules. Sidecars, which are restarted while the pod
/// runs whatever has become of them, only lose rules that restart other containers.
///
/// Also sets each resizePolicy to NotRequired: beside restartPolicy Never, kube-apiserver takes no
/// other (validateResizePolicy in k8s.io/kubernetes/pkg/apis/core/validation/validation.go,
/// v1.36.3).
void ForbidRestarts(Draft& draft, Remarks& remarks);

/// The objections to what ForbidRestarts would change. There is none to a resizePolicy, which harms
/// nobody.
std::vector<Objection> ObjectToRestarts(const model::Workload& workload);

}  // namespace berth::policies::admission
