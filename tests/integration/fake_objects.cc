#include "tests/integration/fake_objects.h"

#include <nlohmann/json.hpp>

#include "model/resources.h"
#include "proto/kubernetes.pb.h"

namespace berth::tests {
namespace {

namespace wire = kubernetes::v1;

template <typename Map>
void SetResources(const model::Resources& resources, Map& map) {
  for (const auto& [name, amount] : resources) {
    map[name].set_string(std::to_string(amount) + (name == "cpu" ? "m" : ""));
  }
}

const char* TextOf(model::ConditionStatus status) {
  if (status == model::ConditionStatus::kUnknown) return "Unknown";
  return status == model::ConditionStatus::kTrue ? "True" : "False";
}

void SetCondition(const model::Condition& condition, wire::NodeCondition& out) {
  out.set_type(condition.type);
  out.set_status(TextOf(condition.status));
  out.mutable_last_heartbeat_time()->set_seconds(
      condition.last_heartbeat.time_since_epoch().count());
  out.mutable_last_transition_time()->set_seconds(
      condition.last_transition.time_since_epoch().count());
}

void SetDeletion(const model::Pod& pod, wire::ObjectMeta& out) {
  if (pod.deleted == model::kNoTime) return;
  out.mutable_deletion_timestamp()->set_seconds(pod.deleted.time_since_epoch().count());
  wire::OwnerReference& owner = *out.add_owner_references();
  owner.set_api_version("batch/v1");
  owner.set_kind("Job");
  owner.set_name(pod.job);
  owner.set_controller(true);
}

template <typename Map>
void Merge(const nlohmann::json& changes, Map& map) {
  for (const auto& [name, value] : changes.items()) {
    map.erase(name);
    if (!value.is_null()) map[name] = value.template get<std::string>();
  }
}

template <typename Object>
std::string Patch(const std::string& object, const std::string& patch,
                  const std::string& resource_version) {
  const nlohmann::json metadata = nlohmann::json::parse(patch).value("metadata", nlohmann::json());
  Object out;
  out.ParseFromString(object);
  Merge(metadata.value("labels", nlohmann::json::object()),
        *out.mutable_metadata()->mutable_labels());
  Merge(metadata.value("annotations", nlohmann::json::object()),
        *out.mutable_metadata()->mutable_annotations());
  out.mutable_metadata()->set_resource_version(resource_version);
  return out.SerializeAsString();
}

}  // namespace

std::string PatchNode(const std::string& object, const std::string& patch,
                      const std::string& resource_version) {
  return Patch<wire::Node>(object, patch, resource_version);
}

std::string PatchPod(const std::string& object, const std::string& patch,
                     const std::string& resource_version) {
  return Patch<wire::Pod>(object, patch, resource_version);
}

std::string Envelope(std::string_view kind, std::string_view raw) {
  wire::Unknown unknown;
  unknown.mutable_type_meta()->set_api_version("v1");
  unknown.mutable_type_meta()->set_kind(std::string(kind));
  unknown.set_raw(std::string(raw));
  return std::string("k8s\0", 4) + unknown.SerializeAsString();
}

std::string EncodeObject(const model::Node& node, const std::string& resource_version) {
  wire::Node out;
  out.mutable_metadata()->set_name(node.name);
  out.mutable_metadata()->set_uid(node.uid);
  out.mutable_metadata()->set_resource_version(resource_version);
  for (const auto& [name, value] : node.labels)
    (*out.mutable_metadata()->mutable_labels())[name] = value;
  SetResources(node.capacity, *out.mutable_status()->mutable_capacity());
  SetResources(node.allocatable, *out.mutable_status()->mutable_allocatable());
  for (const model::Condition& condition : node.conditions) {
    SetCondition(condition, *out.mutable_status()->add_conditions());
  }
  return out.SerializeAsString();
}

std::string EncodeObject(const model::Pod& pod, const std::string& resource_version) {
  wire::Pod out;
  out.mutable_metadata()->set_namespace_(pod.namespace_);
  out.mutable_metadata()->set_name(pod.name);
  out.mutable_metadata()->set_uid(pod.uid);
  out.mutable_metadata()->set_resource_version(resource_version);
  for (const auto& [name, value] : pod.annotations) {
    (*out.mutable_metadata()->mutable_annotations())[name] = value;
  }
  SetDeletion(pod, *out.mutable_metadata());
  if (pod.created != model::kNoTime) {
    out.mutable_metadata()->mutable_creation_timestamp()->set_seconds(
        pod.created.time_since_epoch().count());
  }
  for (const std::string& gate : pod.gates)
    out.mutable_spec()->add_scheduling_gates()->set_name(gate);
  if (pod.priority != 0) out.mutable_spec()->set_priority(pod.priority);
  out.mutable_spec()->set_node_name(pod.node_name);
  if (!pod.scheduler.empty()) out.mutable_spec()->set_scheduler_name(pod.scheduler);
  SetResources(pod.requests,
               *out.mutable_spec()->add_containers()->mutable_resources()->mutable_requests());
  out.mutable_status()->set_phase(pod.terminated ? "Succeeded" : "Running");
  out.mutable_status()->set_nominated_node_name(pod.nominated_node);
  if (!pod.unschedulable.empty()) {
    wire::PodCondition& condition = *out.mutable_status()->add_conditions();
    condition.set_type("PodScheduled");
    condition.set_status("False");
    condition.set_reason("Unschedulable");
    condition.set_message(pod.unschedulable);
  }
  if (pod.bound != model::kNoTime) {
    wire::PodCondition& condition = *out.mutable_status()->add_conditions();
    condition.set_type("PodScheduled");
    condition.set_status("True");
    condition.mutable_last_transition_time()->set_seconds(pod.bound.time_since_epoch().count());
  }
  return out.SerializeAsString();
}

std::string EncodeObject(const model::Service& service, const std::string& resource_version) {
  wire::Service out;
  out.mutable_metadata()->set_namespace_(service.namespace_);
  out.mutable_metadata()->set_name(service.name);
  out.mutable_metadata()->set_resource_version(resource_version);
  for (const auto& [name, value] : service.selector) {
    (*out.mutable_spec()->mutable_selector())[name] = value;
  }
  return out.SerializeAsString();
}

std::string EncodeBookmark(const std::string& resource_version, bool initial_events_end) {
  wire::AnyObject out;
  out.mutable_metadata()->set_resource_version(resource_version);
  if (initial_events_end) {
    (*out.mutable_metadata()->mutable_annotations())["k8s.io/initial-events-end"] = "true";
  }
  return out.SerializeAsString();
}

std::string EncodeList(std::string_view kind, const std::vector<std::string>& items,
                       const std::string& resource_version, const std::string& continue_token) {
  wire::ObjectList list;
  list.mutable_metadata()->set_resource_version(resource_version);
  list.mutable_metadata()->set_continue_(continue_token);
  for (const std::string& item : items) list.add_items(item);
  return Envelope(kind, list.SerializeAsString());
}

std::string EncodeStatus(int code, const std::string& reason, int retry_after_seconds) {
  wire::Status status;
  status.set_code(code);
  status.set_reason(reason);
  status.set_message("scripted by the fake API server");
  if (retry_after_seconds > 0) {
    status.mutable_details()->set_retry_after_seconds(retry_after_seconds);
  }
  return Envelope("Status", status.SerializeAsString());
}

std::string EncodeFrame(const std::string& type, const std::string& object) {
  wire::WatchEvent event;
  event.set_type(type);
  event.mutable_object()->set_raw(object);
  const std::string body = event.SerializeAsString();
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>(body.size() >> shift & 0xff);
  }
  return frame + body;
}

}  // namespace berth::tests
