#pragma once

#include "kube/json_value.h"
#include "model/pod.h"

namespace berth::kube {

/// Fills in what of a pod gives kube-scheduler's own scoring a say: labels, scored and
/// affinity_terms. Its namespace and its node are known by then. `metadata` and `spec` are the
/// pod's.
void ReadScored(const JsonValue& metadata, const JsonValue& spec, model::Pod& pod);

}  // namespace berth::kube
