#include "kube/json_model.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "kube/field_values.h"
#include "kube/json.h"
#include "kube/json_needs.h"
#include "kube/json_scored.h"
#include "kube/node_sizes.h"
#include "kube/pod_requests.h"

namespace berth::kube {
namespace {

ResourceList ListFromJson(const JsonValue& list) {
  ResourceList result;
  list.ForEachMember([&](std::string_view name, const JsonValue& quantity) {
    result.insert_or_assign(std::string(name), quantity.Amount());
  });
  return result;
}

ResourceRequirements RequirementsFromJson(const JsonValue& resources) {
  return {.requests = ListFromJson(resources.Field("requests")),
          .limits = ListFromJson(resources.Field("limits"))};
}

PodResources PodResourcesFromJson(const JsonValue& spec) {
  PodResources resources;
  spec.Field("containers").ForEachItem([&](const JsonValue& container) {
    resources.containers.push_back(RequirementsFromJson(container.Field("resources")));
  });
  spec.Field("initContainers").ForEachItem([&](const JsonValue& container) {
    resources.init_containers.push_back(
        {.resources = RequirementsFromJson(container.Field("resources")),
         .restartable = container.Field("restartPolicy").String() == "Always"});
  });
  resources.overhead = ListFromJson(spec.Field("overhead"));
  resources.pod_level = RequirementsFromJson(spec.Field("resources"));
  return resources;
}

model::Taint TaintFromJson(const JsonValue& taint) {
  return {.key = std::string(taint.Field("key").String()),
          .value = std::string(taint.Field("value").String()),
          .effect = std::string(taint.Field("effect").String())};
}

model::Toleration TolerationFromJson(const JsonValue& toleration) {
  return {.key = std::string(toleration.Field("key").String()),
          .op = std::string(toleration.Field("operator").String()),
          .value = std::string(toleration.Field("value").String()),
          .effect = std::string(toleration.Field("effect").String())};
}

model::Condition ConditionFromJson(const JsonValue& condition) {
  return {.type = std::string(condition.Field("type").String()),
          .status = ConditionStatusFromText(condition.Field("status").String()),
          .last_transition = condition.Field("lastTransitionTime").Time(),
          .last_heartbeat = condition.Field("lastHeartbeatTime").Time()};
}

// Returns the number, or the nearest one that 32 bits can represent.
std::int32_t Int32FromJson(const JsonValue& number) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(number.Integer(), Limits::min(), Limits::max()));
}

std::string UnschedulableMessage(const JsonValue& conditions) {
  std::string message;
  conditions.ForEachItem([&](const JsonValue& condition) {
    if (message.empty() &&
        IsUnschedulable(condition.Field("type").String(), condition.Field("status").String(),
                        condition.Field("reason").String())) {
      message = condition.Field("message").String();
    }
  });
  return message;
}

model::Time BoundSince(const JsonValue& conditions) {
  model::Time bound = model::kNoTime;
  conditions.ForEachItem([&bound](const JsonValue& condition) {
    if (TellsThatPodIsBound(condition.Field("type").String(), condition.Field("status").String())) {
      bound = condition.Field("lastTransitionTime").Time();
    }
  });
  return bound;
}

std::optional<std::string> WhyGangWaits(const JsonValue& conditions) {
  std::optional<std::string> message;
  conditions.ForEachItem([&message](const JsonValue& condition) {
    if (message ||
        !TellsThatGangWaits(condition.Field("type").String(), condition.Field("status").String())) {
      return;
    }
    message = GangMessage(condition.Field("message").String());
  });
  return message;
}

std::string JobOf(const JsonValue& owners) {
  std::string job;
  owners.ForEachItem([&job](const JsonValue& owner) {
    if (!job.empty() || !owner.Field("controller").Boolean()) return;
    const bool is_job = IsJob(owner.Field("apiVersion").String(), owner.Field("kind").String());
    if (is_job) job = owner.Field("name").String();
  });
  return job;
}

std::string ControllerUidOf(const JsonValue& owners) {
  std::string uid;
  bool found = false;
  owners.ForEachItem([&](const JsonValue& owner) {
    if (found || !owner.Field("controller").Boolean()) return;
    found = true;
    uid = owner.Field("uid").String();
  });
  return uid;
}

bool FailedByItself(const JsonValue& status) {
  if (!IsFailed(status.Field("phase").String())) return false;
  bool disrupted = false;
  status.Field("conditions").ForEachItem([&disrupted](const JsonValue& condition) {
    disrupted = disrupted ||
                IsDisruption(condition.Field("type").String(), condition.Field("status").String());
  });
  return !disrupted;
}

model::StringMap KeptAnnotations(const JsonValue& annotations) {
  model::StringMap kept;
  annotations.ForEachMember([&kept](std::string_view name, const JsonValue& value) {
    if (IsKeptOfNodes(name)) kept.emplace_back(name, value.String());
  });
  model::Normalize(kept);
  return kept;
}

}  // namespace

model::Node NodeFromJson(const JsonValue& node) {
  const JsonValue metadata = node.Field("metadata");
  const JsonValue status = node.Field("status");
  model::Node result;
  result.name = metadata.Field("name").String();
  result.labels = metadata.Field("labels").StringMap();
  const JsonValue spec = node.Field("spec");
  result.unschedulable = spec.Field("unschedulable").Boolean();
  // Reads one more than allowed, so that CheckNodeSizes() finds too many.
  spec.Field("taints").ForEachItem([&](const JsonValue& taint) {
    if (result.taints.size() <= kMaxNodeTaints) result.taints.push_back(TaintFromJson(taint));
  });
  status.Field("conditions").ForEachItem([&](const JsonValue& condition) {
    if (result.conditions.size() > kMaxNodeConditions) return;
    result.conditions.push_back(ConditionFromJson(condition));
  });
  result.capacity = ToModel(ListFromJson(status.Field("capacity")));
  result.allocatable = ToModel(ListFromJson(status.Field("allocatable")));
  result.annotations = KeptAnnotations(metadata.Field("annotations"));
  result.uid = metadata.Field("uid").String();
  if (result.name.empty()) metadata.Field("name").Report("is missing; every node has a name");
  node.Report(CheckNodeSizes(result, node.path()));
  return result;
}

model::Pod PodFromJson(const JsonValue& pod) {
  const JsonValue metadata = pod.Field("metadata");
  const JsonValue spec = pod.Field("spec");
  model::Pod result;
  result.namespace_ = metadata.Field("namespace").Name(kMostNamespaceBytes);
  result.name = metadata.Field("name").Name(kMostNameBytes);
  result.uid = metadata.Field("uid").String();
  result.node_name = spec.Field("nodeName").String();
  result.annotations = metadata.Field("annotations").StringMap();
  spec.Field("tolerations").ForEachItem([&](const JsonValue& toleration) {
    result.tolerations.push_back(TolerationFromJson(toleration));
  });
  result.requests = PodRequests(PodResourcesFromJson(spec));
  result.created = metadata.Field("creationTimestamp").Time();
  result.deleted = metadata.Field("deletionTimestamp").Time();
  if (result.deleted != model::kNoTime) result.job = JobOf(metadata.Field("ownerReferences"));
  result.controller_uid = ControllerUidOf(metadata.Field("ownerReferences"));
  result.priority = Int32FromJson(spec.Field("priority"));
  const JsonValue status = pod.Field("status");
  result.failed_by_itself = FailedByItself(status);
  if (result.node_name.empty()) {
    result.unschedulable = UnschedulableMessage(status.Field("conditions"));
    result.why_gang_waits = WhyGangWaits(status.Field("conditions"));
    result.nominated_node = status.Field("nominatedNodeName").String();
  } else {
    result.bound = BoundSince(status.Field("conditions"));
  }
  result.terminated = IsTerminated(status.Field("phase").String());
  ReadScored(metadata, spec, result);
  ReadNeeds(spec, result);
  return result;
}

UnreadableObject UnreadableFromJson(const JsonValue& object, std::string_view kind,
                                    const absl::Status& error) {
  absl::Status of_names;  // separate, because only the first error is reported
  const JsonValue again(*object.element(), object.path(), of_names);
  const JsonValue metadata = again.Field("metadata");
  return {.kind = std::string(kind),
          .namespace_ = metadata.Field("namespace").Text(),
          .name = metadata.Field("name").Text(),
          .uid = metadata.Field("uid").Text(),
          .error = std::string(error.message())};
}

absl::StatusOr<model::Pod> PodFromJson(simdjson::dom::element pod, std::string_view path) {
  absl::Status error;
  model::Pod result = PodFromJson(JsonValue(pod, Path(path), error));
  if (!error.ok()) return error;
  return result;
}

absl::StatusOr<model::Node> NodeFromJson(simdjson::dom::element node, std::string_view path) {
  absl::Status error;
  model::Node result = NodeFromJson(JsonValue(node, Path(path), error));
  if (!error.ok()) return error;
  return result;
}

}  // namespace berth::kube
