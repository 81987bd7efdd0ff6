#pragma once

#include <string>
#include <vector>

#include "model/workload.h"
#include "policies/admission/config.h"
#include "policies/admission/request.h"

namespace berth::policies::admission {

/// Kind of the owner on whose behalf a controller makes the object ("Job"); empty: no controller of
/// the list makes it. Told by who asks, never by the object alone: a controller is its service
/// account, or the user of a kube-controller-manager without such accounts, which then has to name
/// an owner of a listed kind.
std::string ControllerOf(const User& user, const model::Workload& workload,
                         const std::vector<ControllerSpec>& controllers);

/// Whether it is none of Berth's business, whatever its namespace: pods of a DaemonSet, which are
/// part of their nodes, and mirrors of static pods, which kubelets make.
bool IsExempt(const Request& request, const model::Workload& workload);

}  // namespace berth::policies::admission
