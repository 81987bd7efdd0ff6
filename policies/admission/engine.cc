#include "policies/admission/engine.h"

#include <algorithm>
#include <utility>

#include "model/annotation.h"
#include "policies/admission/evaluation.h"
#include "policies/admission/framework_profiles.h"
#include "policies/admission/kept.h"
#include "policies/admission/origin.h"

namespace berth::policies::admission {

using model::Workload;

AdmissionEngine::AdmissionEngine(std::shared_ptr<const model::AcceleratorCatalog> catalog,
                                 std::string prefix, std::string version,
                                 const AdmissionConfig& config)
    : catalog_(std::move(catalog)),
      prefix_(std::move(prefix)),
      version_(std::move(version)),
      applied_annotation_(model::kAppliedAnnotation.Below(prefix_)),
      created_by_annotation_(model::kCreatedByAnnotation.Below(prefix_)),
      ordinary_resources_(config.ordinary_resources),
      fraction_annotations_(config.fraction_annotations),
      controllers_(AllControllers(config)),
      templates_(AllTemplates(config)),
      own_retries_(config.own_retries) {
  const PolicyContext context{.catalog = *catalog_,
                              .prefix = prefix_,
                              .ordinary_resources = ordinary_resources_,
                              .fraction_annotations = fraction_annotations_};
  ForEachPolicy(config.policies, [&]<typename Policy>(const PolicySettings<Policy>& settings) {
    members_.push_back({.name = Policy::kName,
                        .mode = settings.mode,
                        .policy = std::make_unique<Policy>(context, settings.config)});
  });
}

void AdmissionEngine::Complete(Request& request, const Workload& workload) const {
  request.controller = ControllerOf(request.user, workload, controllers_);
  const model::OwnerReference* owner = ControllingOwner(workload);
  request.owner_is_reviewed = !request.controller.empty() && owner != nullptr &&
                              std::ranges::any_of(templates_, [owner](const TemplateSpec& spec) {
                                return spec.group == owner->group && spec.kind == owner->kind;
                              });
  request.own_retries_allowed =
      std::ranges::find(own_retries_, request.namespace_name) != own_retries_.end();
  request.of_daemons = IsOfDaemons(request, workload);
}

bool AdmissionEngine::Concerns(Request& request, const Workload& workload) const {
  Complete(request, workload);
  return !workload.deleted && !IsExempt(request, workload);
}

// The annotation is for people; no policy reads it. It is written if the object is changed anyway,
// or if it has the annotation already. A claim that is not true is removed.
void AdmissionEngine::NoteApplied(std::string holding, Draft& draft) const {
  const bool claimed =
      model::Find(ObjectAnnotations(draft.workload()), applied_annotation_).has_value();
  if (draft.writes() == 0 && !claimed) return;
  if (holding.empty()) {
    draft.RemoveAnnotation(Metadata::kObject, applied_annotation_);
    return;
  }
  draft.SetAnnotation(Metadata::kObject, applied_annotation_, std::move(holding) + " " + version_);
}

Outcome AdmissionEngine::Mutate(Request request, Workload workload) const {
  if (!Concerns(request, workload) || request.mode == Mode::kOff) {
    return {.workload = std::move(workload)};
  }
  const bool enforces = request.mode == Mode::kEnforce;
  Evaluation evaluation(*this, std::move(request), false);
  Draft enforced(workload);
  Draft proposed(evaluation.any_only_warns() ? workload : Workload());
  evaluation.Mutate(enforced, proposed);
  evaluation.Judge(enforced.workload(), proposed.workload(), nullptr);
  if (enforces) NoteApplied(evaluation.holding(), enforced);
  Outcome outcome = evaluation.Finish(enforced.workload());
  if (!outcome.denial.empty()) outcome.workload = std::move(workload);
  return outcome;
}

Outcome AdmissionEngine::Keep(Request request, Workload update, const Workload& stored) const {
  const bool keeps = request.mode == Mode::kEnforce && !HaveSameContent(update, stored);
  if (!keeps || !Concerns(request, update)) return {.workload = std::move(update)};
  // The policies are to do what they did then, for whoever created the object.
  request.user.name = model::Find(stored.pod.annotations, created_by_annotation_).value_or("");
  request.applied = model::Find(ObjectAnnotations(stored), applied_annotation_).value_or("");
  const Evaluation evaluation(*this, std::move(request), false);
  Remarks remarks;
  Outcome outcome{.workload = update};
  for (Workload& written : AsAtCreation(update, stored)) {
    const Workload made = evaluation.Made(std::move(written));
    outcome.workload = KeepStored(outcome.workload, made, stored, remarks);
  }
  Warnings warnings;
  for (const std::string& clause : remarks.changes()) warnings.Add(kWarningPrefix, clause);
  outcome.warnings = warnings.Take();
  return outcome;
}

Outcome AdmissionEngine::Validate(Request request, Workload workload,
                                  const Workload* before) const {
  if (!Concerns(request, workload)) {
    const bool ends = workload.deleted && workload.is_pod() && before != nullptr;
    Outcome outcome = ends ? JudgeUpdate(std::move(request), workload, *before) : Outcome();
    outcome.workload = std::move(workload);
    return outcome;
  }
  Evaluation evaluation(*this, std::move(request), false);
  // Policies that only warn have not corrected the object. What they would have corrected is no
  // fault of the object, so they judge the proposed state.
  const bool proposes = before == nullptr && evaluation.any_only_warns();
  Draft proposed(proposes ? workload : Workload());
  if (proposes) evaluation.Propose(proposed);
  evaluation.Judge(workload, proposes ? proposed.workload() : workload, before);
  return evaluation.Finish(std::move(workload));
}

Outcome AdmissionEngine::JudgeUpdate(Request request, const Workload& workload,
                                     const Workload& before) const {
  Complete(request, workload);
  if (IsExempt(request, workload)) return {};
  Evaluation evaluation(*this, std::move(request), false);
  evaluation.JudgeUpdate(workload, before);
  return evaluation.Finish({});
}

Outcome AdmissionEngine::MarkTemplates(Request request, std::vector<Workload>& templates) const {
  if (templates.empty() || !Concerns(request, templates.front())) return {};
  Evaluation evaluation(*this, std::move(request), false);
  evaluation.SeeTogether(templates);
  for (Workload& workload : templates) workload = evaluation.Marked(std::move(workload));
  return evaluation.Finish({});
}

Outcome AdmissionEngine::PreviewPods(Request request, std::vector<Workload> templates,
                                     const std::vector<Workload>& before) const {
  // The templates differ only in their pods.
  if (templates.empty() || !Concerns(request, templates.front())) return {};
  Evaluation evaluation(*this, std::move(request), true);
  evaluation.SeeTogether(templates);
  Draft enforced{Workload()};  // stays empty, as nothing is enforced in a preview
  for (const Workload& workload : templates) {
    Draft proposed(workload);
    evaluation.Mutate(enforced, proposed);
    evaluation.Judge(workload, proposed.workload(), nullptr);
    const auto old = std::ranges::find(before, workload.template_field, &Workload::template_field);
    evaluation.JudgeTemplate(workload, old == before.end() ? nullptr : &*old);
  }
  return evaluation.Finish({});
}

}  // namespace berth::policies::admission
