#pragma once

#include "model/workload.h"
#include "report/object.h"

namespace berth::report {

/// Returns how much cpu and memory a pod of that template requests, as kube-scheduler counts it:
/// see kube::PodRequests(). The overhead of its runtime class, which a template does not show, is
/// left out.
Compute ComputeOf(const model::PodTemplate& pod);

}  // namespace berth::report
