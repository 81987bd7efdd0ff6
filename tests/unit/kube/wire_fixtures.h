#pragma once

#include <string>
#include <string_view>

#include "proto/kubernetes.pb.h"

namespace berth::kube {

namespace pb = ::berth::kubernetes::v1;

/// A body as the API server sends it: "k8s\0" and an Unknown of that kind.
inline std::string Body(std::string_view kind, const google::protobuf::MessageLite& message) {
  pb::Unknown unknown;
  unknown.mutable_type_meta()->set_api_version("v1");
  unknown.mutable_type_meta()->set_kind(std::string(kind));
  unknown.set_raw(message.SerializeAsString());
  return std::string("k8s\0", 4) + unknown.SerializeAsString();
}

/// A list of these objects, which may be of any kind.
template <typename... Objects>
pb::ObjectList ListOf(const Objects&... objects) {
  pb::ObjectList list;
  (list.add_items(objects.SerializeAsString()), ...);
  return list;
}

/// A watch event, without the length in front.
inline std::string Event(std::string_view type, std::string_view body) {
  pb::WatchEvent event;
  event.set_type(std::string(type));
  event.mutable_object()->set_raw(std::string(body));
  return event.SerializeAsString();
}

inline pb::Node MakeNode() {
  pb::Node node;
  node.mutable_metadata()->set_name("gpu-7");
  node.mutable_metadata()->set_resource_version("42");
  (*node.mutable_metadata()->mutable_labels())["nvidia.com/gpu.product"] = "NVIDIA-A30";
  (*node.mutable_status()->mutable_capacity())["cpu"].set_string("80");
  (*node.mutable_status()->mutable_allocatable())["nvidia.com/gpu"].set_string("6");
  pb::Taint* taint = node.mutable_spec()->add_taints();
  taint->set_key("dedicated");
  taint->set_value("team-a");
  taint->set_effect("PreferNoSchedule");
  pb::NodeCondition* condition = node.mutable_status()->add_conditions();
  condition->set_type("GPUIsLost");
  condition->set_status("True");
  condition->mutable_last_transition_time()->set_seconds(1'700'000'000);
  return node;
}

inline pb::Pod MakePod() {
  pb::Pod pod;
  pod.mutable_metadata()->set_namespace_("team");
  pod.mutable_metadata()->set_name("train-0");
  pod.mutable_metadata()->set_uid("u-1");
  pod.mutable_metadata()->set_resource_version("43");
  (*pod.mutable_metadata()->mutable_annotations())["berth.dev/accelerators"] = "A100,V100";
  pod.mutable_spec()->set_node_name("gpu-7");
  pod.mutable_spec()->set_priority(-7);
  pb::Toleration* toleration = pod.mutable_spec()->add_tolerations();
  toleration->set_key("dedicated");
  toleration->set_operator_("Exists");
  pb::Container* container = pod.mutable_spec()->add_containers();
  (*container->mutable_resources()->mutable_requests())["cpu"].set_string("1500m");
  (*container->mutable_resources()->mutable_limits())["nvidia.com/gpu"].set_string("2");
  pod.mutable_status()->set_phase("Running");
  return pod;
}

}  // namespace berth::kube
