#pragma once

#include "kube/json_value.h"
#include "model/node.h"
#include "model/pod.h"

// From JSON to the model. Errors go to where the value puts them; what is returned after one is of
// no use.

namespace berth::kube {

model::Node NodeFromJson(const JsonValue& node);

model::Pod PodFromJson(const JsonValue& pod);

}  // namespace berth::kube
