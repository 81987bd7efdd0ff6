#include "policies/admission/isolation.h"

#include <algorithm>

#include "model/annotation.h"
#include "model/label.h"

namespace berth::policies::admission {

namespace {

// What the author should know about a pod that asks for `device`, which the catalogue lacks. The
// advice comes first, because a long name would cut it off.
std::string NoteOf(std::string_view device, bool by_annotation) {
  const std::string name(device);
  if (by_annotation)
    return "not kept off nodes with accelerators: " + name + " asks for a part of one";
  if (!model::IsExtendedResourceName(device)) {
    return "if " + name + " is no accelerator, list it in admission.ordinaryResources";
  }
  return "list " + name +
         " in accelerators, or admission.ordinaryResources if it is none; not isolated";
}

}  // namespace

IsolationPolicy::IsolationPolicy(const PolicyContext& context, const NoConfig&)
    : catalog_(context.catalog),
      unknown_(context),
      no_accelerator_{.key = model::kAcceleratorLabel.Below(context.prefix),
                      .op = "DoesNotExist",
                      .values = {}},
      allowed_annotation_(model::kAllowAcceleratorNodes.Below(context.prefix)) {}

bool IsolationPolicy::Mutate(const Request& request, Draft& draft, Remarks& remarks) const {
  const model::PodTemplate& pod = draft.pod();
  NoteIfMisplaced(draft.workload(), allowed_annotation_, remarks);
  if (!IsConcerned(pod)) return false;
  if (const std::string_view device = unknown_.In(pod); !device.empty()) {
    remarks.Noted(NoteOf(device, !unknown_.AskedByAnnotation(pod).empty()));
    return false;
  }
  if (WantsAccelerators(pod)) {
    remarks.Noted(
        "asks for no accelerator, but its node selector selects such nodes: not kept off");
    return false;
  }
  if (AsksToBeLetIn(pod)) {
    if (request.accelerator_nodes_allowed) return false;
    remarks.Noted(allowed_annotation_ + " has no effect unless the namespace has that label, too");
  }
  if (IsIsolated(pod)) return true;
  draft.RequireOfNodes(no_accelerator_);
  remarks.Changed("kept off nodes with accelerators (" + no_accelerator_.key +
                  " DoesNotExist): it asks for none");
  return true;
}

// Objects that make pods are not judged, because their pods are kept off when they are created.
std::vector<Objection> IsolationPolicy::Judge(const Request& request,
                                              const model::Workload& workload) const {
  const model::PodTemplate& pod = workload.pod;
  if (!workload.is_pod() || !IsConcerned(pod) || IsIsolated(pod) || WantsAccelerators(pod) ||
      !unknown_.In(pod).empty()) {
    return {};
  }
  if (request.accelerator_nodes_allowed && AsksToBeLetIn(pod)) return {};
  return {{.field = PodSpecField(workload) + ".affinity.nodeAffinity",
           .reason = "allows nodes with accelerators, but the pod asks for none",
           .advice = "write " + no_accelerator_.key + " DoesNotExist in every term of " +
                     "requiredDuringSchedulingIgnoredDuringExecution, or ask for an accelerator"}};
}

bool IsolationPolicy::IsConcerned(const model::PodTemplate& pod) const {
  return pod.node_name.empty() && !pod.has_claims && !AsksForAccelerators(pod, catalog_);
}

bool IsolationPolicy::AsksToBeLetIn(const model::PodTemplate& pod) const {
  return model::Find(pod.annotations, allowed_annotation_) == "true";
}

bool IsolationPolicy::WantsAccelerators(const model::PodTemplate& pod) const {
  const bool selects = std::ranges::any_of(pod.node_selector, [this](const auto& label) {
    return WantsAccelerators({.key = label.first, .op = "In", .values = {label.second}});
  });
  if (selects || !pod.node_terms) return selects;
  return std::ranges::any_of(*pod.node_terms, [this](const model::NodeSelectorTerm& term) {
    return std::ranges::any_of(term.expressions, [this](const model::NodeRequirement& requirement) {
      return WantsAccelerators(requirement);
    });
  });
}

bool IsolationPolicy::WantsAccelerators(const model::NodeRequirement& requirement) const {
  const bool is_ours = requirement.key == no_accelerator_.key;
  if (requirement.op == "Exists") return is_ours || catalog_.ReadsLabel(requirement.key);
  if (requirement.op != "In") return false;
  return is_ours || std::ranges::any_of(requirement.values, [&](const std::string& value) {
           return catalog_.RecognisesLabel(requirement.key, value);
         });
}

// A pod whose terms are all empty is isolated, too, because they match no node.
bool IsolationPolicy::IsIsolated(const model::PodTemplate& pod) const {
  if (!pod.node_terms) return false;
  return std::ranges::all_of(*pod.node_terms, [this](const model::NodeSelectorTerm& term) {
    return term.empty() ||
           std::ranges::find(term.expressions, no_accelerator_) != term.expressions.end();
  });
}

}  // namespace berth::policies::admission
