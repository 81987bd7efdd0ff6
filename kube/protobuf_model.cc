#include "kube/protobuf_model.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kube/field_values.h"
#include "kube/node_sizes.h"
#include "kube/pod_requests.h"
#include "kube/protobuf_needs.h"
#include "kube/protobuf_scored.h"

namespace berth::kube {
namespace {

using QuantityMap = google::protobuf::Map<std::string, pb::Quantity>;

ResourceList FromProto(const QuantityMap& map, const Path& path, absl::Status& error) {
  ResourceList list;
  for (const auto& [name, quantity] : map) {
    // A message without text means the zero Quantity.
    if (!quantity.has_string()) {
      list.emplace(name, model::Amount());
      continue;
    }
    list.emplace(name, AmountFromText(quantity.string(), path.Key(name), error));
  }
  return list;
}

ResourceRequirements FromProto(const pb::ResourceRequirements& resources, const Path& path,
                               absl::Status& error) {
  return {.requests = FromProto(resources.requests(), path.Field("requests"), error),
          .limits = FromProto(resources.limits(), path.Field("limits"), error)};
}

ResourceRequirements FromProto(const pb::Container& container, const Path& path,
                               absl::Status& error) {
  return FromProto(container.resources(), path.Field("resources"), error);
}

PodResources FromProto(const pb::PodSpec& spec, const Path& path, absl::Status& error) {
  PodResources resources;
  const Path containers = path.Field("containers");
  for (const pb::Container& container : spec.containers()) {
    const Path item = containers[resources.containers.size()];
    resources.containers.push_back(FromProto(container, item, error));
  }
  const Path init_containers = path.Field("initContainers");
  for (const pb::Container& container : spec.init_containers()) {
    const Path item = init_containers[resources.init_containers.size()];
    resources.init_containers.push_back({.resources = FromProto(container, item, error),
                                         .restartable = container.restart_policy() == "Always"});
  }
  resources.overhead = FromProto(spec.overhead(), path.Field("overhead"), error);
  resources.pod_level = FromProto(spec.resources(), path.Field("resources"), error);
  return resources;
}

model::Taint FromProto(const pb::Taint& taint) {
  return {.key = taint.key(), .value = taint.value(), .effect = taint.effect()};
}

model::Toleration FromProto(const pb::Toleration& toleration) {
  return {.key = toleration.key(),
          .op = toleration.operator_(),
          .value = toleration.value(),
          .effect = toleration.effect()};
}

model::Time FromProto(const pb::Time& time) {
  // The zero metav1.Time is written as an empty message.
  return time.has_seconds() ? TimeFromSeconds(time.seconds()) : model::kNoTime;
}

model::Condition FromProto(const pb::NodeCondition& condition) {
  return {.type = condition.type(),
          .status = ConditionStatusFromText(condition.status()),
          .last_transition = FromProto(condition.last_transition_time()),
          .last_heartbeat = FromProto(condition.last_heartbeat_time())};
}

/// Reads `most` items, and one more if there are too many, so that CheckNodeSizes() notices.
template <typename T, typename Message>
std::vector<T> ReadUpTo(std::size_t most, const google::protobuf::RepeatedPtrField<Message>& from) {
  std::vector<T> items;
  for (const Message& item : from) {
    if (items.size() > most) break;
    items.push_back(FromProto(item));
  }
  return items;
}

std::string UnschedulableMessage(const pb::Pod& pod) {
  if (!pod.spec().node_name().empty()) return "";
  for (const pb::PodCondition& condition : pod.status().conditions()) {
    if (IsUnschedulable(condition.type(), condition.status(), condition.reason())) {
      return condition.message();
    }
  }
  return "";
}

model::Time BoundSince(const pb::Pod& pod) {
  model::Time bound = model::kNoTime;
  if (pod.spec().node_name().empty()) return bound;
  for (const pb::PodCondition& condition : pod.status().conditions()) {
    if (TellsThatPodIsBound(condition.type(), condition.status())) {
      bound = FromProto(condition.last_transition_time());
    }
  }
  return bound;
}

std::optional<std::string> WhyGangWaits(const pb::Pod& pod) {
  if (!pod.spec().node_name().empty()) return std::nullopt;
  for (const pb::PodCondition& condition : pod.status().conditions()) {
    if (TellsThatGangWaits(condition.type(), condition.status())) {
      return GangMessage(condition.message());
    }
  }
  return std::nullopt;
}

std::string JobOf(const pb::ObjectMeta& metadata) {
  for (const pb::OwnerReference& owner : metadata.owner_references()) {
    if (owner.controller() && IsJob(owner.api_version(), owner.kind())) return owner.name();
  }
  return "";
}

std::string ControllerUidOf(const pb::ObjectMeta& metadata) {
  for (const pb::OwnerReference& owner : metadata.owner_references()) {
    if (owner.controller()) return owner.uid();
  }
  return "";
}

bool FailedByItself(const pb::PodStatus& status) {
  if (!IsFailed(status.phase())) return false;
  for (const pb::PodCondition& condition : status.conditions()) {
    if (IsDisruption(condition.type(), condition.status())) return false;
  }
  return true;
}

model::StringMap KeptAnnotations(const pb::ObjectMeta& metadata) {
  model::StringMap kept;
  for (const auto& [name, value] : metadata.annotations()) {
    if (IsKeptOfNodes(name)) kept.emplace_back(name, value);
  }
  model::Normalize(kept);
  return kept;
}

}  // namespace

model::Node FromProto(const pb::Node& node, const Path& path, absl::Status& error) {
  const Path self = path.Key(node.metadata().name());
  const Path status = self.Field("status");
  if (node.metadata().name().empty()) error.Update(self.Error("has no metadata.name"));
  model::Node result;
  result.name = node.metadata().name();
  result.labels = StringMapFromProto(node.metadata().labels());
  result.unschedulable = node.spec().unschedulable();
  result.taints = ReadUpTo<model::Taint>(kMaxNodeTaints, node.spec().taints());
  result.conditions = ReadUpTo<model::Condition>(kMaxNodeConditions, node.status().conditions());
  result.capacity = ToModel(FromProto(node.status().capacity(), status.Field("capacity"), error));
  result.allocatable =
      ToModel(FromProto(node.status().allocatable(), status.Field("allocatable"), error));
  result.annotations = KeptAnnotations(node.metadata());
  result.uid = node.metadata().uid();
  error.Update(CheckNodeSizes(result, self));
  return result;
}

model::Pod FromProto(const pb::Pod& pod, const Path& path, absl::Status& error) {
  const pb::ObjectMeta& metadata = pod.metadata();
  const Path in_namespace = path.Key(metadata.namespace_());
  const Path self = in_namespace.Key(metadata.name());
  model::Pod result;
  result.namespace_ = NameFromText(metadata.namespace_(), kMostNamespaceBytes,
                                   self.Field("metadata").Field("namespace"), error);
  result.name =
      NameFromText(metadata.name(), kMostNameBytes, self.Field("metadata").Field("name"), error);
  result.uid = metadata.uid();
  result.node_name = pod.spec().node_name();
  result.annotations = StringMapFromProto(metadata.annotations());
  for (const pb::Toleration& toleration : pod.spec().tolerations()) {
    result.tolerations.push_back(FromProto(toleration));
  }
  result.requests = PodRequests(FromProto(pod.spec(), self.Field("spec"), error));
  result.created = FromProto(metadata.creation_timestamp());
  result.deleted = FromProto(metadata.deletion_timestamp());
  if (result.deleted != model::kNoTime) result.job = JobOf(metadata);
  result.controller_uid = ControllerUidOf(metadata);
  result.failed_by_itself = FailedByItself(pod.status());
  result.priority = pod.spec().priority();
  result.unschedulable = UnschedulableMessage(pod);
  result.why_gang_waits = WhyGangWaits(pod);
  result.bound = BoundSince(pod);
  if (result.node_name.empty()) result.nominated_node = pod.status().nominated_node_name();
  result.terminated = IsTerminated(pod.status().phase());
  ReadScored(pod, result);
  ReadNeeds(pod.spec(), result);
  return result;
}

model::Service FromProto(const pb::Service& service, const Path& /*path*/,
                         absl::Status& /*error*/) {
  return {.namespace_ = service.metadata().namespace_(),
          .name = service.metadata().name(),
          .selector = StringMapFromProto(service.spec().selector())};
}

}  // namespace berth::kube
