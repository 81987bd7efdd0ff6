#pragma once

#include "model/node.h"
#include "model/pod.h"
#include "proto/kubernetes.pb.h"

namespace berth::kube {

namespace pb = ::berth::kubernetes::v1;

/// A map of strings, such as labels.
model::StringMap StringMapFromProto(const google::protobuf::Map<std::string, std::string>& map);

/// Fills in what of a pod gives kube-scheduler's own scoring a say: labels, scored and
/// affinity_terms. Its namespace and its node are known by then.
void ReadScored(const pb::Pod& message, model::Pod& pod);

}  // namespace berth::kube
