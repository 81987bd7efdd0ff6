#pragma once

#include <string>
#include <vector>

#include "model/workload.h"
#include "policies/admission/config.h"
#include "policies/admission/request.h"

// Decides who makes an object: a person, or a controller on somebody's behalf.

namespace berth::policies::admission {

/// The kind of the owner on whose behalf a controller makes the object ("Job"). Empty if no
/// controller of the list makes it.
///
/// The user who sends the request decides, never the object alone. A controller is recognised by
/// its service account. A kube-controller-manager without such accounts sends all requests as one
/// user; then the object must have an owner of a listed kind.
std::string ControllerOf(const User& user, const model::Workload& workload,
                         const std::vector<ControllerSpec>& controllers);

/// Whether the object is a DaemonSet, or is made by a controller of DaemonSets.
bool IsOfDaemons(const Request& request, const model::Workload& workload);

/// Whether Berth leaves the object alone, whatever its namespace. These are mirrors of static pods,
/// which kubelets create, and Jobs that a controller of DaemonSets makes. Of DaemonSets and their
/// pods, AdmissionPolicy::ReachesDaemons decides.
bool IsExempt(const Request& request, const model::Workload& workload);

}  // namespace berth::policies::admission
