#pragma once

#include <optional>
#include <vector>

#include "kube/json_value.h"
#include "model/node_selector.h"
#include "model/pod.h"

namespace berth::kube {

/// Reads the terms of the required node affinity of a v1.PodSpec; nullopt if it has none. A null
/// among the terms is read as an empty one.
std::optional<std::vector<model::NodeSelectorTerm>> NodeTermsFromJson(const JsonValue& spec);

/// Reads what a v1.PodSpec needs of nodes besides resources: `host_ports` and `attached_volumes`,
/// and if `pod.node_name` is empty also `needs`, `scheduler`, `gates` and `gated`.
void ReadNeeds(const JsonValue& spec, model::Pod& pod);

}  // namespace berth::kube
