#pragma once

#include "absl/status/status.h"
#include "kube/path.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"
#include "proto/kubernetes.pb.h"

// From the messages of proto/kubernetes.proto to the model. `error` keeps the first error; what is
// returned after one is of no use.

namespace berth::kube {

namespace pb = ::berth::kubernetes::v1;

/// Errors name the node: Node["gpu-7"].status.capacity["cpu"], where `path` is "Node".
model::Node FromProto(const pb::Node& node, const Path& path, absl::Status& error);

/// Errors name the pod: Pod["team"]["train-0"].spec.containers[0], where `path` is "Pod".
model::Pod FromProto(const pb::Pod& pod, const Path& path, absl::Status& error);

/// No Service that decodes is an error.
model::Service FromProto(const pb::Service& service, const Path& path, absl::Status& error);

}  // namespace berth::kube
