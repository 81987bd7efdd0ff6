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

}  // namespace

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

bool AsksForAccelerators(const model::PodTemplate& pod, const model::AcceleratorCatalog& catalog) {
  return std::ranges::any_of(
      catalog.resources(), [&pod](const std::string& resource) { return AsksFor(pod, resource); });
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
