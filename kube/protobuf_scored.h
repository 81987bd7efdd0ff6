#pragma once

#include "model/node.h"
#include "model/pod.h"
#include "proto/kubernetes.pb.h"

namespace berth::kube {

namespace pb = ::berth::kubernetes::v1;

/// Converts a map of strings, such as labels, to the order that StringMap requires.
model::StringMap StringMapFromProto(const google::protobuf::Map<std::string, std::string>& map);

/// Fills in the fields of `pod` that influence kube-scheduler's own scoring: labels, scored and
/// affinity_terms. `message` is the whole pod. The namespace and the node of `pod` must be set
/// already: terms without namespaces are about the pod's own, and a bound pod needs no labels.
/// Cannot fail.
void ReadScored(const pb::Pod& message, model::Pod& pod);

}  // namespace berth::kube
