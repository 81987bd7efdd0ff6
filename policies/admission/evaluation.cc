#include "policies/admission/evaluation.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace berth::policies::admission {

using model::Workload;

namespace {

// The prefixes of warnings, for what was done and for what would be done.
struct Voice {
  std::string_view change;
  std::string_view denial;
};

constexpr Voice kDone{kWarningPrefix, kWarningPrefix};
constexpr Voice kWarnOnly{"berth (warn only): ", "berth (warn only), denied: "};
constexpr Voice kPods{"berth, pods: ", "berth, pods denied: "};
constexpr Voice kPodsWarnOnly{"berth (warn only), pods: ", "berth (warn only), pods denied: "};

const Voice& VoiceOf(Mode mode, bool previews) {
  if (!previews) return kWarnOnly;
  return mode == Mode::kEnforce ? kPods : kPodsWarnOnly;
}

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

// Removes objections that `old` contains with the same field and reason, unless they are worse
// now. Uses a map, because both lists may have 10,000 entries.
void LeaveOut(const std::vector<Objection>& old, std::vector<Objection>& objections) {
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

}  // namespace

AdmissionEngine::Evaluation::Evaluation(const AdmissionEngine& engine, Request request,
                                        bool previews)
    : engine_(engine),
      request_(std::move(request)),
      previews_(previews),
      effects_(engine.members_.size()) {
  for (std::size_t i = 0; i < effects_.size(); ++i) effects_[i].policy = engine.members_[i].name;
}

void AdmissionEngine::Evaluation::Mutate(Draft& enforced, Draft& proposed) {
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
    Say(VoiceOf(mode, previews_), remarks, warnings_, effects_[i]);
  }
}

Workload AdmissionEngine::Evaluation::Made(Workload workload) const {
  Draft draft(std::move(workload));
  for (std::size_t i = 0; i < effects_.size(); ++i) {
    Remarks discarded;
    if (Enforces(ModeOf(i))) PolicyOf(i).Mutate(request_, draft, discarded);
  }
  return draft.workload();
}

void AdmissionEngine::Evaluation::SeeTogether(std::vector<Workload>& templates) const {
  for (std::size_t i = 0; i < effects_.size(); ++i) {
    if (ModeOf(i) != Mode::kOff) PolicyOf(i).SeeTogether(templates);
  }
}

Workload AdmissionEngine::Evaluation::Marked(Workload workload) {
  Draft draft(std::move(workload));
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

void AdmissionEngine::Evaluation::Propose(Draft& proposed) const {
  for (std::size_t i = 0; i < effects_.size(); ++i) {
    if (ModeOf(i) == Mode::kOff) continue;
    Remarks discarded;
    PolicyOf(i).Mutate(request_, proposed, discarded);
  }
}

void AdmissionEngine::Evaluation::Judge(const Workload& enforced, const Workload& proposed,
                                        const Workload* before) {
  for (std::size_t i = 0; i < effects_.size(); ++i) {
    const Mode mode = ModeOf(i);
    if (mode == Mode::kOff) continue;
    Raise(i, ObjectionsOf(i, Enforces(mode) ? enforced : proposed, before));
  }
}

void AdmissionEngine::Evaluation::JudgeUpdate(const Workload& workload, const Workload& before) {
  for (std::size_t i = 0; i < effects_.size(); ++i) {
    if (ModeOf(i) != Mode::kOff) Raise(i, PolicyOf(i).JudgeUpdate(request_, workload, before));
  }
}

void AdmissionEngine::Evaluation::JudgeTemplate(const Workload& workload, const Workload* before) {
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

Outcome AdmissionEngine::Evaluation::Finish(Workload workload) {
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

std::vector<Objection> AdmissionEngine::Evaluation::ObjectionsOf(std::size_t i,
                                                                 const Workload& workload,
                                                                 const Workload* before) const {
  std::vector<Objection> objections = PolicyOf(i).Judge(request_, workload);
  if (before == nullptr) return objections;
  LeaveOut(PolicyOf(i).Judge(request_, *before), objections);
  for (Objection& objection : PolicyOf(i).JudgeUpdate(request_, workload, *before)) {
    objections.push_back(std::move(objection));
  }
  return objections;
}

Mode AdmissionEngine::Evaluation::ModeOf(std::size_t i) const {
  const Member& member = engine_.members_[i];
  if (request_.of_daemons && !member.policy->ReachesDaemons()) return Mode::kOff;
  return std::min(request_.mode, member.mode);
}

bool AdmissionEngine::Evaluation::AnyOnlyWarns() const {
  for (std::size_t i = 0; i < effects_.size(); ++i) {
    const Mode mode = ModeOf(i);
    if (mode != Mode::kOff && !Enforces(mode)) return true;
  }
  return false;
}

void AdmissionEngine::Evaluation::TryOut(std::size_t i, Draft& proposed, Remarks& remarks) {
  const bool notes = previews_ && ModeOf(i) == Mode::kEnforce;
  const auto before = notes ? RequestsOf(proposed.pod()) : std::vector<model::ResourceList>();
  PolicyOf(i).Mutate(request_, proposed, remarks);
  if (notes && RequestsOf(proposed.pod()) != before) requests_change_ = true;
}

void AdmissionEngine::Evaluation::Enforce(std::size_t i, Draft& draft) {
  Remarks remarks;
  const std::size_t before = draft.writes();
  if (PolicyOf(i).Mutate(request_, draft, remarks)) {
    if (!holding_.empty()) holding_ += ",";
    holding_ += effects_[i].policy;
  }
  effects_[i].changed = draft.writes() > before;
  Say(kDone, remarks, warnings_, effects_[i]);
}

void AdmissionEngine::Evaluation::Raise(std::size_t i, const std::vector<Objection>& objections) {
  if (objections.empty()) return;
  const Mode mode = ModeOf(i);
  if (Enforces(mode)) {
    Deny(i, objections);
    return;
  }
  Object(VoiceOf(mode, previews_), objections, warnings_, effects_[i]);
  pods_denied_ = pods_denied_ || mode == Mode::kEnforce;
}

void AdmissionEngine::Evaluation::Deny(std::size_t i, const std::vector<Objection>& objections) {
  if (objections.empty()) return;
  denial_.Add(effects_[i].policy, objections);
  effects_[i].denied = true;
  for (const Objection& objection : objections) AddObjection(objection, effects_[i]);
}

}  // namespace berth::policies::admission
