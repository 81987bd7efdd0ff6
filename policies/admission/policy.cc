#include "policies/admission/policy.h"

#include <algorithm>

namespace berth::policies::admission {

namespace {

// The path of the pod template, with a dot at its end. Empty for a pod.
std::string TemplateField(const model::Workload& workload) {
  if (workload.is_pod()) return "";
  if (!workload.template_field.empty()) return workload.template_field + ".";
  return workload.kind == "CronJob" ? "spec.jobTemplate.spec.template." : "spec.template.";
}

// Whether a container asks for a resource, more than zero of it, that `counts(name)`.
template <typename Counts>
bool AsksForAny(const model::PodTemplate& pod, Counts counts) {
  const auto asks = [&counts](const model::ResourceList& list) {
    return std::ranges::any_of(list, [&counts](const auto& entry) {
      return entry.second.Sign() > 0 && counts(entry.first);
    });
  };
  return std::ranges::any_of(pod.containers, [&asks](const model::Container& container) {
    return asks(container.resources.limits) || asks(container.resources.requests);
  });
}

}  // namespace

bool WasApplied(std::string_view policy, const Request& request) {
  std::string_view names = request.applied;  // "creator,job-retries 0.1.0"
  names = names.substr(0, names.find(' '));
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    if (name == policy) return true;
    names.remove_prefix(std::min(names.size(), name.size() + 1));
  }
  return false;
}

std::string PodSpecField(const model::Workload& workload) {
  return TemplateField(workload) + "spec";
}

std::string PodAnnotationField(const model::Workload& workload, std::string_view annotation) {
  return TemplateField(workload) + "metadata.annotations[" + std::string(annotation) + "]";
}

void NoteIfMisplaced(const model::Workload& workload, std::string_view annotation,
                     Remarks& remarks) {
  if (workload.is_pod() || !model::Find(workload.annotations, annotation) ||
      model::Find(workload.pod.annotations, annotation)) {
    return;
  }
  remarks.Noted(std::string(annotation) + " works only in " + TemplateField(workload) + "metadata");
}

bool AsksFor(const model::PodTemplate& pod, std::string_view resource) {
  return std::ranges::any_of(pod.containers, [resource](const model::Container& container) {
    return IsSet(container.resources.limits, resource) ||
           IsSet(container.resources.requests, resource);
  });
}

bool AsksFor(const model::PodTemplate& pod, const model::AcceleratorSpec& spec) {
  return AsksForAny(pod, [&spec](std::string_view resource) {
    return model::PartsPerDevice(spec, resource) > 0;
  });
}

bool AsksForAccelerators(const model::PodTemplate& pod, const model::AcceleratorCatalog& catalog) {
  return AsksForAny(
      pod, [&catalog](std::string_view resource) { return catalog.HasResource(resource); });
}

bool AsksForAccelerators(const model::PodTemplate& pod, const model::AcceleratorCatalog& catalog,
                         std::string_view annotation, Remarks& remarks) {
  const bool asks = AsksForAccelerators(pod, catalog);
  if (!asks && model::Find(pod.annotations, annotation)) {
    remarks.Noted(std::string(annotation) + " has no effect: the pod asks for no accelerator");
  }
  return asks;
}

}  // namespace berth::policies::admission
