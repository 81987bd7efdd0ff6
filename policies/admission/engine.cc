#include "policies/admission/engine.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "model/annotation.h"
#include "policies/admission/framework_profiles.h"
#include "policies/admission/kept.h"
#include "policies/admission/origin.h"
#include "policies/admission/wording.h"

namespace berth::policies::admission {

using model::Workload;

namespace {

// The prefixes of warnings, for what was done and for what would be done.
struct Voice {
  std::string_view change;
  std::string_view denial;
};

constexpr Voice kDone{"berth: ", "berth: "};
constexpr Voice kWarnOnly{"berth (warn only): ", "berth (warn only), denied: "};
constexpr Voice kPods{"berth, pods: ", "berth, pods denied: "};
constexpr Voice kPodsWarnOnly{"berth (warn only), pods: ", "berth (warn only), pods denied: "};

// Drops clauses beyond the bound, because there may be 10,000 of them, and repeated clauses,
// because the templates of one object mostly get the same.
void AddClause(std::string clause, std::vector<std::string>& clauses, std::string& text) {
  if (text.size() > kMaxEffectText || text.find(clause) != std::string::npos) return;
  if (!text.empty()) text += "; ";
  text += clause;
  clauses.push_back(std::move(clause));
}

void AddObjection(const Objection& objection, PolicyEffect& effect) {
  AddClause(ToString(objection), effect.objections, effect.text);
}

void Say(const Voice& voice, const Remarks& remarks, Warnings& warnings, PolicyEffect& effect) {
  for (const auto* clauses : {&remarks.changes(), &remarks.notes()}) {
    for (const std::string& clause : *clauses) {
      warnings.Add(voice.change, clause);
      AddClause(clause, effect.remarks, effect.text);
    }
  }
}

// What is requested in the end: nobody has filled in the requests of a template yet, which are its
// limits by default.
model::ResourceList Requested(const model::ResourceRequirements& resources) {
  model::ResourceList all = resources.limits;
  for (const auto& [name, quantity] : resources.requests) all.insert_or_assign(name, quantity);
  return all;
}

// The same for all containers, and for the pod as a whole.
std::vector<model::ResourceList> RequestsOf(const model::PodTemplate& pod) {
  std::vector<model::ResourceList> all;
  for (const model::Container& container : pod.containers) {
    all.push_back(Requested(container.resources));
  }
  if (pod.resources) all.push_back(Requested(*pod.resources));
  return all;
}

void Object(const Voice& voice, const std::vector<Objection>& objections, Warnings& warnings,
            PolicyEffect& effect) {
  for (const Objection& objection : objections) {
    warnings.Add(voice.denial, objection);
    AddObjection(objection, effect);
  }
  effect.would = effect.would || !objections.empty();
}

}  // namespace

// The evaluation of one object, or of its templates one by one.
class AdmissionEngine::Evaluation {
 public:
  Evaluation(const AdmissionEngine& engine, Request request, bool previews)
      : engine_(engine),
        request_(std::move(request)),
        previews_(previews),
        effects_(engine.members_.size()) {
    for (std::size_t i = 0; i < effects_.size(); ++i) effects_[i].policy = engine.members_[i].name;
  }

  // Applies the enforced policies to `enforced`, and all policies to `proposed`.
  void Mutate(Draft& enforced, Draft& proposed) {
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      const Mode mode = ModeOf(i);
      if (mode == Mode::kOff) continue;
      const bool enforces = Enforces(mode);
      if (enforces) Enforce(i, enforced);
      if (!any_only_warns_) continue;
      Remarks remarks;
      const std::size_t before = proposed.writes();
      TryOut(i, proposed, remarks);
      if (enforces) continue;
      effects_[i].would = effects_[i].would || proposed.writes() > before;
      Say(VoiceOf(mode), remarks, warnings_, effects_[i]);
    }
  }

  // Returns what the enforced policies make of the workload, without any remarks.
  Workload Made(Workload workload) const {
    Draft draft(std::move(workload));
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      Remarks discarded;
      if (Enforces(ModeOf(i))) PolicyOf(i).Mutate(request_, draft, discarded);
    }
    return draft.workload();
  }

  // Lets the policies see all templates of an object.
  void SeeTogether(std::vector<Workload>& templates) const {
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      if (ModeOf(i) != Mode::kOff) PolicyOf(i).SeeTogether(templates);
    }
  }

  // Applies the enforced policies to the template of an object that is stored with it.
  Workload Marked(const Workload& workload) {
    Draft draft(workload);
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      if (!Enforces(ModeOf(i))) continue;
      Remarks remarks;
      const std::size_t before = draft.writes();
      PolicyOf(i).MutateTemplate(request_, draft, remarks);
      effects_[i].changed = effects_[i].changed || draft.writes() > before;
      Say(kDone, remarks, warnings_, effects_[i]);
    }
    return draft.workload();
  }

  // Applies all policies to `proposed` without any remarks.
  void Propose(Draft& proposed) const {
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      if (ModeOf(i) == Mode::kOff) continue;
      Remarks discarded;
      PolicyOf(i).Mutate(request_, proposed, discarded);
    }
  }

  // Collects the objections to the present state that did not apply to `before`, which may be null.
  void Judge(const Workload& enforced, const Workload& proposed, const Workload* before) {
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      const Mode mode = ModeOf(i);
      if (mode == Mode::kOff) continue;
      const bool enforces = Enforces(mode);
      auto objections = PolicyOf(i).Judge(request_, enforces ? enforced : proposed);
      if (before != nullptr) LeaveOut(PolicyOf(i).Judge(request_, *before), objections);
      if (objections.empty()) continue;
      if (!enforces) {
        Object(VoiceOf(mode), objections, warnings_, effects_[i]);
        pods_denied_ = pods_denied_ || mode == Mode::kEnforce;
        continue;
      }
      Deny(i, objections);
    }
  }

  // Collects the objections to the template itself that did not apply to `before`, which may be
  // null.
  void JudgeTemplate(const Workload& workload, const Workload* before) {
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      const Mode mode = ModeOf(i);
      if (mode == Mode::kOff) continue;
      auto objections = PolicyOf(i).JudgeTemplate(request_, workload);
      if (objections.empty()) continue;
      if (before != nullptr) LeaveOut(PolicyOf(i).JudgeTemplate(request_, *before), objections);
      if (mode == Mode::kEnforce) {
        Deny(i, objections);
      } else {
        Object(kWarnOnly, objections, warnings_, effects_[i]);
      }
    }
  }

  // Whether some policy only warns, so that a proposed state is needed.
  bool any_only_warns() const { return any_only_warns_; }
  const std::string& holding() const { return holding_; }

  Outcome Finish(Workload workload) {
    Outcome outcome{.workload = std::move(workload), .denial = denial_.Text()};
    outcome.pods_denied = pods_denied_;
    outcome.requests_change = requests_change_;
    const bool denied = !outcome.denial.empty();
    // The warnings are about changes that are not made if the object is denied.
    if (!denied) outcome.warnings = warnings_.Take();
    for (PolicyEffect& effect : effects_) {
      effect.changed = effect.changed && !denied;
      effect.text = OneLine(effect.text, kMaxEffectText);
      const bool did = effect.changed || effect.denied || effect.would || !effect.text.empty();
      if (did) outcome.effects.push_back(std::move(effect));
    }
    return outcome;
  }

 private:
  const AdmissionPolicy& PolicyOf(std::size_t i) const { return *engine_.members_[i].policy; }
  Mode ModeOf(std::size_t i) const { return std::min(request_.mode, engine_.members_[i].mode); }
  bool Enforces(Mode mode) const { return mode == Mode::kEnforce && !previews_; }

  const Voice& VoiceOf(Mode mode) const {
    if (!previews_) return kWarnOnly;
    return mode == Mode::kEnforce ? kPods : kPodsWarnOnly;
  }

  bool AnyOnlyWarns() const {
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      const Mode mode = ModeOf(i);
      if (mode != Mode::kOff && !Enforces(mode)) return true;
    }
    return false;
  }

  // Applies a policy to the proposed state. In a preview, also notes what it does to requests.
  void TryOut(std::size_t i, Draft& proposed, Remarks& remarks) {
    const bool notes = previews_ && ModeOf(i) == Mode::kEnforce;
    const auto before = notes ? RequestsOf(proposed.pod()) : std::vector<model::ResourceList>();
    PolicyOf(i).Mutate(request_, proposed, remarks);
    if (notes && RequestsOf(proposed.pod()) != before) requests_change_ = true;
  }

  void Enforce(std::size_t i, Draft& draft) {
    Remarks remarks;
    const std::size_t before = draft.writes();
    if (PolicyOf(i).Mutate(request_, draft, remarks)) {
      if (!holding_.empty()) holding_ += ",";
      holding_ += effects_[i].policy;
    }
    effects_[i].changed = draft.writes() > before;
    Say(kDone, remarks, warnings_, effects_[i]);
  }

  void Deny(std::size_t i, const std::vector<Objection>& objections) {
    if (objections.empty()) return;
    denial_.Add(effects_[i].policy, objections);
    effects_[i].denied = true;
    for (const Objection& objection : objections) AddObjection(objection, effects_[i]);
  }

  // Removes objections that `old` contains with the same field and reason, unless they are worse
  // now. Uses a map, because both lists may have 10,000 entries.
  static void LeaveOut(const std::vector<Objection>& old, std::vector<Objection>& objections) {
    const auto key = [](const Objection& objection) {
      return std::pair<std::string_view, std::string_view>(objection.field, objection.reason);
    };
    std::map<std::pair<std::string_view, std::string_view>, std::int64_t> known;
    for (const Objection& objection : old) known.emplace(key(objection), objection.degree);
    std::erase_if(objections, [&](const Objection& objection) {
      const auto found = known.find(key(objection));
      return found != known.end() && objection.degree <= found->second;
    });
  }

  const AdmissionEngine& engine_;
  const Request request_;
  const bool previews_;
  std::vector<PolicyEffect> effects_;
  const bool any_only_warns_ = AnyOnlyWarns();
  Warnings warnings_;
  Denial denial_;
  bool pods_denied_ = false;
  bool requests_change_ = false;
  std::string holding_;
};

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

bool AdmissionEngine::Concerns(Request& request, const Workload& workload) const {
  request.controller = ControllerOf(request.user, workload, controllers_);
  const model::OwnerReference* owner = ControllingOwner(workload);
  request.owner_is_reviewed = !request.controller.empty() && owner != nullptr &&
                              std::ranges::any_of(templates_, [owner](const TemplateSpec& spec) {
                                return spec.group == owner->group && spec.kind == owner->kind;
                              });
  request.own_retries_allowed =
      std::ranges::find(own_retries_, request.namespace_name) != own_retries_.end();
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
  for (const std::string& clause : remarks.changes()) warnings.Add(kDone.change, clause);
  outcome.warnings = warnings.Take();
  return outcome;
}

Outcome AdmissionEngine::Validate(Request request, Workload workload,
                                  const Workload* before) const {
  if (!Concerns(request, workload)) return {.workload = std::move(workload)};
  Evaluation evaluation(*this, std::move(request), false);
  // Policies that only warn have not corrected the object. What they would have corrected is no
  // fault of the object, so they judge the proposed state.
  const bool proposes = before == nullptr && evaluation.any_only_warns();
  Draft proposed(proposes ? workload : Workload());
  if (proposes) evaluation.Propose(proposed);
  evaluation.Judge(workload, proposes ? proposed.workload() : workload, before);
  return evaluation.Finish(std::move(workload));
}

Outcome AdmissionEngine::MarkTemplates(Request request, const std::vector<Workload>& templates,
                                       std::vector<Workload>& marked) const {
  marked = templates;
  if (templates.empty() || !Concerns(request, templates.front())) return {};
  Evaluation evaluation(*this, std::move(request), false);
  evaluation.SeeTogether(marked);
  for (Workload& workload : marked) workload = evaluation.Marked(workload);
  return evaluation.Finish({});
}

Outcome AdmissionEngine::PreviewPods(Request request, const std::vector<Workload>& templates,
                                     const std::vector<Workload>& before) const {
  // The templates differ only in their pods.
  if (templates.empty() || !Concerns(request, templates.front())) return {};
  Evaluation evaluation(*this, std::move(request), true);
  std::vector<Workload> together = templates;
  evaluation.SeeTogether(together);
  for (const Workload& workload : together) {
    Draft untouched(workload);
    Draft proposed(workload);
    evaluation.Mutate(untouched, proposed);
    evaluation.Judge(untouched.workload(), proposed.workload(), nullptr);
    const auto old = std::ranges::find(before, workload.template_field, &Workload::template_field);
    evaluation.JudgeTemplate(workload, old == before.end() ? nullptr : &*old);
  }
  return evaluation.Finish({});
}

}  // namespace berth::policies::admission
