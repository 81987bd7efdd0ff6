#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "kube/json_value.h"
#include "kube/unreadable_object.h"
#include "model/node.h"
#include "model/pod.h"

// From JSON to the model. Errors go to where the value puts them; what is returned after one is of
// no use.

namespace berth::kube {

model::Node NodeFromJson(const JsonValue& node);

model::Pod PodFromJson(const JsonValue& pod);

/// Who an object of that kind is that cannot be read, and why.
UnreadableObject UnreadableFromJson(const JsonValue& object, std::string_view kind,
                                    const absl::Status& error);

}  // namespace berth::kube
