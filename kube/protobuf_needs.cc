#include "kube/protobuf_needs.h"

#include <algorithm>
#include <vector>

#include "kube/field_values.h"
#include "kube/protobuf_scored.h"
#include "model/node_selector.h"

namespace berth::kube {
namespace {

using Requirements = google::protobuf::RepeatedPtrField<pb::NodeSelectorRequirement>;

std::vector<model::NodeRequirement> RequirementsFromProto(const Requirements& requirements) {
  std::vector<model::NodeRequirement> result;
  for (const pb::NodeSelectorRequirement& requirement : requirements) {
    result.push_back({.key = requirement.key(),
                      .op = requirement.operator_(),
                      .values = {requirement.values().begin(), requirement.values().end()}});
  }
  return result;
}

model::NodeNeeds NodeNeedsFromProto(const pb::PodSpec& spec) {
  model::NodeNeeds needs{.selector = StringMapFromProto(spec.node_selector()), .terms = {}};
  const pb::NodeAffinity& affinity = spec.affinity().node_affinity();
  if (!affinity.has_required_during_scheduling_ignored_during_execution()) return needs;
  needs.terms.emplace();
  for (const pb::NodeSelectorTerm& term :
       affinity.required_during_scheduling_ignored_during_execution().node_selector_terms()) {
    needs.terms->push_back({.expressions = RequirementsFromProto(term.match_expressions()),
                            .fields = RequirementsFromProto(term.match_fields())});
  }
  return needs;
}

void ReadHostPorts(const pb::Container& container, model::Pod& pod) {
  for (const pb::ContainerPort& port : container.ports()) {
    AddHostPort(port.host_port(), port.protocol(), port.host_ip(), pod.host_ports);
  }
}

bool IsAttached(const pb::Volume& volume) {
  const pb::VolumeSource& source = volume.volume_source();
  return source.has_persistent_volume_claim() || source.has_ephemeral() ||
         source.has_gce_persistent_disk() || source.has_aws_elastic_block_store() ||
         source.has_iscsi() || source.has_rbd() || source.has_cinder() || source.has_azure_file() ||
         source.has_vsphere_volume() || source.has_azure_disk() || source.has_portworx_volume();
}

}  // namespace

void ReadNeeds(const pb::PodSpec& spec, model::Pod& pod) {
  for (const pb::Container& container : spec.containers()) ReadHostPorts(container, pod);
  for (const pb::Container& container : spec.init_containers()) {
    if (container.restart_policy() == "Always") ReadHostPorts(container, pod);
  }
  pod.attached_volumes = std::ranges::any_of(spec.volumes(), IsAttached);
  if (!pod.node_name.empty()) return;
  pod.scheduler = spec.scheduler_name();
  for (const pb::PodSchedulingGate& gate : spec.scheduling_gates()) {
    pod.gates.push_back(gate.name());
  }
  pod.gated = !pod.gates.empty();
  pod.scheduling_group = spec.scheduling_group().pod_group_name();
  pod.priority_class = spec.priority_class_name();
  pod.needs = NodeNeedsFromProto(spec);
}

}  // namespace berth::kube
