#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "kube/json_value.h"
#include "kube/unreadable_object.h"
#include "model/node.h"
#include "model/pod.h"

// From JSON to the model. Errors are reported to the status of the JsonValue. After an error, the
// returned object must not be used.

namespace berth::kube {

/// Reads a v1.Node. A node without a name, or one that exceeds the limits of node_sizes.h, is an
/// error.
model::Node NodeFromJson(const JsonValue& node);

/// Reads a v1.Pod. It may lack a name, like a pod that was not created yet.
model::Pod PodFromJson(const JsonValue& pod);

/// Returns the identity of an object of that kind that cannot be read because of `error`. Names
/// that cannot be read are empty. `object` must not be absent; its status is not changed.
UnreadableObject UnreadableFromJson(const JsonValue& object, std::string_view kind,
                                    const absl::Status& error);

}  // namespace berth::kube
