#pragma once

#include "absl/status/status.h"
#include "kube/path.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"
#include "proto/kubernetes.pb.h"

// From the messages of proto/kubernetes.proto to the model. `error` keeps the first error. After an
// error, the returned object must not be used. `path` is only used during the call.

namespace berth::kube {

namespace pb = ::berth::kubernetes::v1;

/// Converts a node. Errors name it: Node["gpu-7"].status.capacity["cpu"], if `path` is "Node".
model::Node FromProto(const pb::Node& node, const Path& path, absl::Status& error);

/// Converts a pod. Errors name it: Pod["team"]["train-0"].spec.containers[0], if `path` is "Pod".
model::Pod FromProto(const pb::Pod& pod, const Path& path, absl::Status& error);

/// Converts a Service, which cannot fail.
model::Service FromProto(const pb::Service& service, const Path& path, absl::Status& error);

}  // namespace berth::kube
