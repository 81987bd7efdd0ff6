#pragma once

#include "kube/json_value.h"
#include "model/pod.h"

namespace berth::kube {

/// Fills in the fields of `pod` that influence kube-scheduler's own scoring: labels, scored and
/// affinity_terms. `metadata` and `spec` are the pod's. The namespace and the node of `pod` must be
/// set already: terms without namespaces are about the pod's own, and a bound pod needs no labels.
/// Errors are reported to the JsonValues' status.
void ReadScored(const JsonValue& metadata, const JsonValue& spec, model::Pod& pod);

}  // namespace berth::kube
