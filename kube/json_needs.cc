#include "kube/json_needs.h"

#include <string>

#include "kube/field_values.h"

namespace berth::kube {
namespace {

template <typename T, typename Read>
std::vector<T> ItemsOf(const JsonValue& list, Read read) {
  std::vector<T> items;
  list.ForEachItem([&](const JsonValue& item) { items.push_back(read(item)); });
  return items;
}

model::NodeRequirement NodeRequirementFromJson(const JsonValue& requirement) {
  return {.key = requirement.Field("key").Text(),
          .op = requirement.Field("operator").Text(),
          .values = ItemsOf<std::string>(requirement.Field("values"),
                                         [](const JsonValue& value) { return value.Text(); })};
}

std::vector<model::NodeRequirement> NodeRequirementsFromJson(const JsonValue& list) {
  return ItemsOf<model::NodeRequirement>(list, NodeRequirementFromJson);
}

void ReadHostPorts(const JsonValue& container, model::Pod& pod) {
  container.Field("ports").ForEachItem([&pod](const JsonValue& port) {
    AddHostPort(port.Field("hostPort").Integer(), port.Field("protocol").String(),
                port.Field("hostIP").String(), pod.host_ports);
  });
}

bool IsAttached(const JsonValue& volume) {
  bool attached = false;
  volume.ForEachMember([&attached](std::string_view source, const JsonValue&) {
    attached = attached || IsAttachedVolume(source);
  });
  return attached;
}

}  // namespace

std::optional<std::vector<model::NodeSelectorTerm>> NodeTermsFromJson(const JsonValue& spec) {
  const JsonValue affinity = spec.Field("affinity");
  const JsonValue node_affinity = affinity.Field("nodeAffinity");
  const JsonValue required = node_affinity.Field("requiredDuringSchedulingIgnoredDuringExecution");
  if (required.absent()) return std::nullopt;
  std::vector<model::NodeSelectorTerm> terms;
  required.Field("nodeSelectorTerms").ForEachPlace([&terms](std::size_t, const JsonValue& term) {
    terms.push_back({.expressions = NodeRequirementsFromJson(term.Field("matchExpressions")),
                     .fields = NodeRequirementsFromJson(term.Field("matchFields"))});
  });
  return terms;
}

void ReadNeeds(const JsonValue& spec, model::Pod& pod) {
  spec.Field("containers").ForEachItem([&pod](const JsonValue& container) {
    ReadHostPorts(container, pod);
  });
  spec.Field("initContainers").ForEachItem([&pod](const JsonValue& container) {
    if (container.Field("restartPolicy").String() == "Always") ReadHostPorts(container, pod);
  });
  spec.Field("volumes").ForEachItem([&pod](const JsonValue& volume) {
    pod.attached_volumes = pod.attached_volumes || IsAttached(volume);
  });
  if (!pod.node_name.empty()) return;
  pod.scheduler = spec.Field("schedulerName").String();
  spec.Field("schedulingGates").ForEachItem([&pod](const JsonValue& gate) {
    pod.gates.push_back(gate.Field("name").Text());
  });
  pod.gated = !pod.gates.empty();
  pod.scheduling_group = spec.Field("schedulingGroup").Field("podGroupName").Text();
  pod.priority_class = spec.Field("priorityClassName").Text();
  pod.needs = {.selector = spec.Field("nodeSelector").StringMap(),
               .terms = NodeTermsFromJson(spec)};
}

}  // namespace berth::kube
