#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"

// Objects of the Kubernetes API in protobuf, as an API server writes them.

namespace berth::tests {

/// "k8s\0" and a runtime.Unknown around `raw`.
std::string Envelope(std::string_view kind, std::string_view raw);

/// Bare v1.Node, v1.Pod and v1.Service messages. A pod asks for its requests by one container.
std::string EncodeObject(const model::Node& node, const std::string& resource_version);
std::string EncodeObject(const model::Pod& pod, const std::string& resource_version);
std::string EncodeObject(const model::Service& service, const std::string& resource_version);

/// A bookmark's bare object, of whatever kind: nothing but metadata.
/// `initial_events_end`: marked as the end of the list with which a watch began.
std::string EncodeBookmark(const std::string& resource_version, bool initial_events_end);

/// `object`, a bare v1.Node or v1.Pod, after a JSON merge patch of its labels and annotations.
std::string PatchNode(const std::string& object, const std::string& patch,
                      const std::string& resource_version);
std::string PatchPod(const std::string& object, const std::string& patch,
                     const std::string& resource_version);

/// One page of a list, from bare messages; `kind` is "NodeList", "PodList" or
/// "ServiceList".
std::string EncodeList(std::string_view kind, const std::vector<std::string>& items,
                       const std::string& resource_version, const std::string& continue_token);

/// A v1.Status, as the body of a refusal.
std::string EncodeStatus(int code, const std::string& reason, int retry_after_seconds);

/// One frame of a watch with its length; `object` has its envelope.
std::string EncodeFrame(const std::string& type, const std::string& object);

}  // namespace berth::tests
