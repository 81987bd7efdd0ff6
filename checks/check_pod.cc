#include "checks/check_pod.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "checks/pod_spec.h"
#include "model/annotation.h"
#include "model/stable_hash.h"
#include "model/taint.h"

namespace berth::checks {

namespace {

using kube::JsonValue;
using Json = nlohmann::json;

std::string NodeAnnotation(const Names& names) {
  return model::kActiveCheckNodeAnnotation.Below(names.prefix);
}

std::string NodeUidAnnotation(const Names& names) {
  return model::kActiveCheckNodeUidAnnotation.Below(names.prefix);
}

// A key that is tolerated whatever the value, as ExtendedResourceToleration does it.
std::vector<std::string> ToleratedKeys(const Order& order, const Names& names) {
  std::vector<std::string> keys = order.check.tolerates;
  keys.push_back(order.resource);
  keys.push_back(model::kExcludedTaint.Below(names.prefix));
  return keys;
}

Json MetadataOf(const Order& order, const Names& names) {
  return {{"name", PodName(order)},
          {"namespace", names.namespace_name},
          {"labels", {{CheckLabel(names), order.check.name}}},
          {"annotations",
           {{NodeAnnotation(names), order.node}, {NodeUidAnnotation(names), order.node_uid}}}};
}

Program ProgramOf(const Order& order) {
  const ActiveCheck& check = order.check;
  return {.image = check.image,
          .command = check.command,
          .resources = {{"cpu", check.cpu.value_or(model::Quantity()).text()},
                        {"memory", check.memory.value_or(model::Quantity()).text()},
                        {order.resource, std::to_string(order.devices)}},
          .timeout = check.timeout,
          .run_as_user = check.run_as_user};
}

Json TolerationsOf(const Order& order, const Names& names) {
  Json tolerations = Json::array();
  for (const std::string& key : ToleratedKeys(order, names)) {
    tolerations.push_back(Json{{"key", key}, {"operator", "Exists"}});
  }
  return tolerations;
}

// Binds the pod to the node, or leaves that to kube-scheduler.
void Place(const Order& order, Json& spec) {
  if (order.directly) {
    spec["nodeName"] = order.node;
    return;
  }
  const Json field = {
      {"key", "metadata.name"}, {"operator", "In"}, {"values", Json::array({order.node})}};
  const Json terms = Json::array({Json{{"matchFields", Json::array({field})}}});
  spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
      ["nodeSelectorTerms"] = terms;
}

// What a container that has ended says.
void ReadEnd(const JsonValue& terminated, CheckPod& pod) {
  if (terminated.absent()) return;
  const std::int64_t code = terminated.Field("exitCode").Integer();
  pod.reason = terminated.Field("reason").Text();
  // Other reasons are OOMKilled, StartError, ContainerStatusUnknown and the like. A container
  // without a reason cannot come from a kubelet.
  if (code == 0 || pod.reason != "Error") return;
  pod.outcome = Outcome::kFailed;
  pod.exit_code = code;
}

// Whether the pod has the condition DisruptionTarget: somebody evicts it.
bool IsDisrupted(const JsonValue& status, bool& preempted) {
  bool disrupted = false;
  status.Field("conditions").ForEachItem([&](const JsonValue& condition) {
    if (condition.Field("type").String() != "DisruptionTarget" ||
        condition.Field("status").String() != "True") {
      return;
    }
    disrupted = true;
    preempted = condition.Field("reason").String() == "PreemptionByScheduler";
  });
  return disrupted;
}

// Of a pod whose phase is Failed.
void ReadFailure(const JsonValue& status, bool disrupted, CheckPod& pod) {
  pod.outcome = Outcome::kNotRun;
  pod.reason = status.Field("reason").Text();
  // kubelet gives the pod a reason where it has ended the pod itself: Evicted, DeadlineExceeded,
  // UnexpectedAdmissionError, NodeShutdown. Then exit codes tell of the signal alone.
  if (!pod.reason.empty() || disrupted || pod.deleted) return;
  status.Field("containerStatuses").ForEachItem([&pod](const JsonValue& container) {
    const JsonValue state = container.Field("state");
    ReadEnd(state.Field("terminated"), pod);
  });
}

void ReadStatus(const JsonValue& status, CheckPod& pod) {
  const bool disrupted = IsDisrupted(status, pod.preempted);
  const std::string_view phase = status.Field("phase").String();
  if (phase == "Succeeded") pod.outcome = Outcome::kPassed;
  if (phase == "Failed") ReadFailure(status, disrupted, pod);
}

}  // namespace

std::string CheckLabel(const Names& names) { return model::kActiveCheckLabel.Below(names.prefix); }

std::string PodName(const Order& order) {
  return fmt::format("berth-check-{}-{:016x}", order.check.name,
                     model::StableHash().Add(order.node).value());
}

model::Pod ModelOf(const Order& order, const Names& names) {
  const ActiveCheck& check = order.check;
  model::Pod pod{.namespace_ = names.namespace_name, .name = PodName(order)};
  pod.requests.Set("cpu", check.cpu.value_or(model::Quantity()).MilliValue());
  pod.requests.Set("memory", check.memory.value_or(model::Quantity()).Value());
  pod.requests.Set(order.resource, order.devices);
  for (const std::string& key : ToleratedKeys(order, names)) {
    pod.tolerations.push_back({.key = key, .op = "Exists"});
  }
  return pod;
}

std::string PodJson(const Order& order, const CheckPodsConfig& pods, const Names& names,
                    const std::optional<kube::OwnerReference>& owner) {
  Json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", MetadataOf(order, names)},
              {"spec", SpecOf(ProgramOf(order), pods)}};
  pod["spec"]["tolerations"] = TolerationsOf(order, names);
  Place(order, pod["spec"]);
  AddOwner(owner, pod["metadata"]);
  return JsonText(pod);
}

CheckPod ReadCheckPod(const kube::JsonValue& pod, const Names& names) {
  const JsonValue metadata = pod.Field("metadata");
  const JsonValue labels = metadata.Field("labels");
  const JsonValue annotations = metadata.Field("annotations");
  CheckPod read{.name = metadata.Field("name").Text(),
                .uid = metadata.Field("uid").Text(),
                .check = labels.Field(CheckLabel(names)).Text(),
                .node = annotations.Field(NodeAnnotation(names)).Text(),
                .node_uid = annotations.Field(NodeUidAnnotation(names)).Text(),
                .created = metadata.Field("creationTimestamp").Time()};
  read.deleted = !metadata.Field("deletionTimestamp").absent();
  ReadStatus(pod.Field("status"), read);
  return read;
}

}  // namespace berth::checks
