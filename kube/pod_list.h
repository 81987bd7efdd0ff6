#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "kube/transport.h"
#include "model/pod.h"

namespace berth::kube {

/// Reads the pods of a namespace that `field_selector` selects, and passes them to `take` as they
/// arrive, so that one is held at a time. All come in one reply in Kubernetes' protobuf: of
/// thousands of pods, the API server makes that in a third of the time that JSON takes it, and
/// pages take it longer still.
///
/// Blocks until the API server has answered. Errors are those of Transport::Send(), those of
/// RefusalOf(), and DataLoss if the pods cannot be had so: if the server does not speak
/// protobuf, or any pod cannot be read. Api::List() says more of that. After an error, some pods
/// may have been passed.
///
///   GET /api/v1/namespaces/ml/pods?fieldSelector=status.phase%21%3DSucceeded
absl::Status ListPods(Transport& transport, const std::string& namespace_name,
                      const std::string& field_selector,
                      const std::function<void(model::Pod pod)>& take);

}  // namespace berth::kube
