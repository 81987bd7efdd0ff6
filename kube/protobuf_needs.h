#pragma once

#include "model/pod.h"
#include "proto/kubernetes.pb.h"

namespace berth::kube {

namespace pb = ::berth::kubernetes::v1;

/// Reads what a v1.PodSpec needs of nodes besides resources: `host_ports` and `attached_volumes`,
/// and if `pod.node_name` is empty also `needs`, `scheduler`, `gates` and `gated`. Cannot fail.
void ReadNeeds(const pb::PodSpec& spec, model::Pod& pod);

}  // namespace berth::kube
