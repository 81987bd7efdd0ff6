#include "policies/admission/accelerator_affinity.h"

#include <algorithm>
#include <utility>

#include "model/annotation.h"
#include "model/suggest.h"
#include "policies/admission/wording.h"

namespace berth::policies::admission {

namespace {

/// The most bytes of a model's name in a text. The value of a label is no longer.
constexpr std::size_t kMaxModel = 63;

}  // namespace

AcceleratorAffinityPolicy::AcceleratorAffinityPolicy(const PolicyContext& context, const NoConfig&)
    : catalog_(context.catalog),
      label_(model::kAcceleratorLabel.Below(context.prefix)),
      annotation_(model::kAcceleratorsAnnotation.Below(context.prefix)) {}

bool AcceleratorAffinityPolicy::Mutate(const Request&, Draft& draft, Remarks& remarks) const {
  const model::PodTemplate& pod = draft.pod();
  NoteIfMisplaced(draft.workload(), annotation_, remarks);
  if (!AsksForAccelerators(pod, catalog_, annotation_, remarks)) return false;
  const auto [models, faulty] = ModelsOf(pod);
  if (models.empty() || !faulty.empty()) return false;
  const std::size_t before = draft.writes();
  draft.RequireOfNodes({.key = label_, .op = "In", .values = {models.begin(), models.end()}});
  if (draft.writes() > before) {
    remarks.Changed("restricted to nodes with " + model::Join(models) + ", as " + annotation_ +
                    " says");
  }
  return true;
}

std::vector<Objection> AcceleratorAffinityPolicy::Judge(const Request&,
                                                        const model::Workload& workload) const {
  if (!AsksForAccelerators(workload.pod, catalog_)) return {};
  const std::string_view faulty = ModelsOf(workload.pod).faulty;
  if (faulty.empty()) return {};
  Objection objection{.field = PodAnnotationField(workload, annotation_),
                      .reason = "names " + OneLine(faulty, kMaxModel)};
  const auto index = catalog_.IndexOf(faulty);
  if (index == model::AcceleratorCatalog::kNone) {
    objection.reason += ", which is not in the catalogue";
    const std::vector<std::string_view> names = ModelsThatServe(workload.pod);
    objection.advice =
        "write one or more of " + model::JoinSome(names) + model::DidYouMean(faulty, names);
  } else {
    objection.reason += ", but the pod asks for no " + catalog_[index].resource;
    objection.advice = "name models of a resource that the pod asks for, or ask for that resource";
  }
  return {std::move(objection)};
}

AcceleratorAffinityPolicy::Named AcceleratorAffinityPolicy::ModelsOf(
    const model::PodTemplate& pod) const {
  Named named;
  const auto text = model::Find(pod.annotations, annotation_);
  for (const std::string_view model : model::SplitList(text.value_or(""))) {
    // Stop at the first faulty one: an annotation may name thousands of models.
    if (!CanBeHad(model, pod)) {
      named.faulty = model;
      break;
    }
    if (std::ranges::find(named.models, model) == named.models.end()) {
      named.models.push_back(model);
    }
  }
  return named;
}

bool AcceleratorAffinityPolicy::CanBeHad(std::string_view model,
                                         const model::PodTemplate& pod) const {
  const auto index = catalog_.IndexOf(model);
  return index != model::AcceleratorCatalog::kNone && AsksFor(pod, catalog_[index]);
}

std::vector<std::string_view> AcceleratorAffinityPolicy::ModelsThatServe(
    const model::PodTemplate& pod) const {
  std::vector<std::string_view> names = catalog_.names();
  std::erase_if(names, [&](std::string_view name) { return !CanBeHad(name, pod); });
  return names;
}

}  // namespace berth::policies::admission
