#include "policies/admission/gangs.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "policies/admission/job.h"

namespace berth::policies::admission {

using model::Workload;

namespace {

constexpr std::string_view kYes = "true";
constexpr std::string_view kNo = "false";

bool IsOfConfiguredKind(const Workload& workload) { return !workload.template_field.empty(); }

// As GangsConfig::kinds has it. Empty for a kind that only makes pods of others' templates.
std::string KindOf(const Workload& workload) {
  if (IsOfConfiguredKind(workload)) return workload.group + "/" + workload.kind;
  if (workload.is_pod()) return "Pod";
  return workload.job ? "batch/Job" : "";
}

// Whether an object makes the Job and perhaps others, so that its pods may be a part of the gang.
// A CronJob makes one at a time.
bool IsPartOfOwner(const Workload& workload) {
  const model::OwnerReference* owner = ControllingOwner(workload);
  return workload.is_job() && owner != nullptr &&
         !(owner->kind == "CronJob" && owner->group == "batch");
}

// Whether no pod of the Job waits for another to end.
bool IsAtOnce(const model::JobSpec& job) {
  return job.completions.value_or(job.parallelism) <= job.parallelism;
}

// How many pods of the template run at once. Of 64 of them the sum fits 64 bits.
std::int64_t PodsOfTemplate(const Workload& workload) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t replicas = std::clamp<std::int64_t>(workload.replicas.value_or(0), 0, kMost);
  return std::min(kMost, workload.job ? replicas * PodsAtOnce(*workload.job) : replicas);
}

std::string OwnerName(const Workload& pod) {
  const model::OwnerReference* owner = ControllingOwner(pod);
  if (owner == nullptr) return "";
  // An object that was deleted may have had the same name, and its pods may still run. Names have
  // up to 253 characters, which is the limit for gangs, too.
  constexpr std::size_t kOfName = 244;
  constexpr std::size_t kOfUid = 8;
  const std::string uid = owner->uid.substr(0, kOfUid);
  return owner->name.substr(0, kOfName) + (uid.empty() ? "" : "-" + uid);
}

std::optional<std::string_view> AnnotationOrLabel(const model::PodTemplate& pod,
                                                  std::string_view name) {
  const auto annotation = model::Find(pod.annotations, name);
  return annotation ? annotation : model::Find(pod.labels, name);
}

// The values of the group's labels; empty if the pod lacks one.
std::string NameOfGroup(const GangGroup& group, const model::PodTemplate& pod) {
  std::string name;
  for (const std::string& label : group.labels) {
    const auto value = model::Find(pod.labels, label);
    if (!value || value->empty()) return "";
    name += (name.empty() ? "" : "-") + std::string(*value);
  }
  return name;
}

void AddIfMissing(const std::string& name, std::string_view value, model::StringMap& annotations) {
  if (value.empty() || model::Find(annotations, name)) return;
  annotations.emplace_back(name, value);
  model::Normalize(annotations);
}

// The path of the pods' metadata: "spec.template.metadata".
std::string MetadataField(const Workload& workload) {
  constexpr std::string_view kSpec = "spec";
  const std::string spec = PodSpecField(workload);
  return spec.substr(0, spec.size() - kSpec.size()) + "metadata";
}

// What model::GangOf() says: "<annotation> <reason>; <advice>".
Objection ObjectionOf(const absl::Status& status, const Workload& workload) {
  const std::string text(status.message());
  const std::size_t reason = text.find(' ') + 1;
  const std::size_t advice = text.rfind("; ");
  return {.field = PodAnnotationField(workload, text.substr(0, reason - 1)),
          .reason = text.substr(reason, advice - reason),
          .advice = text.substr(advice + 2)};
}

std::string PodsText(std::int64_t pods) {
  return std::to_string(pods) + (pods == 1 ? " pod" : " pods");
}

bool CanBeGang(std::int64_t size) { return size >= 2 && size <= model::kMaxGangSize; }

}  // namespace

GangsPolicy::GangsPolicy(const PolicyContext& context, const GangsConfig& config)
    : names_(context.prefix), config_(config) {}

bool GangsPolicy::Mutate(const Request& request, Draft& draft, Remarks& remarks) const {
  const Workload& workload = draft.workload();
  if (workload.is_pod()) return MutatePod(draft, remarks);
  const bool is_configured = IsOfConfiguredKind(workload);
  if (!is_configured && !workload.is_job()) NoteIfMisplaced(workload, names_.gate, remarks);
  // Nothing is written into the templates of an object that exists.
  const bool is_stored = is_configured && request.operation == Operation::kUpdate;
  if ((is_configured || workload.job) && !is_stored) MutateOwner(draft, remarks);
  return model::Find(draft.pod().annotations, names_.size).has_value();
}

std::vector<Objection> GangsPolicy::Judge(const Request& request, const Workload& workload) const {
  if (workload.is_pod()) return JudgePod(request, workload);
  return workload.is_job() ? JudgeOwner(request, workload) : Objections();
}

void GangsPolicy::SeeTogether(std::vector<Workload>& templates) const {
  const auto counts = [this](const Workload& workload) {
    return workload.replicas && IsAsked(workload);
  };
  std::int64_t sum = 0;
  bool known = false;
  bool at_once = true;
  for (const Workload& workload : templates) {
    known = known || workload.replicas.has_value();
    if (!counts(workload)) continue;
    sum += PodsOfTemplate(workload);
    at_once = at_once && (!workload.job || IsAtOnce(*workload.job));
  }
  if (!known) return;
  // The others would wait for pods that come later.
  if (!at_once) sum = 0;
  for (Workload& workload : templates) {
    if (!workload.gang_size) workload.gang_size = counts(workload) ? sum : 0;
  }
}

void GangsPolicy::MutateTemplate(const Request&, Draft& draft, Remarks& remarks) const {
  MutateOwner(draft, remarks);
}

std::vector<Objection> GangsPolicy::JudgeTemplate(const Request& request,
                                                  const Workload& workload) const {
  return JudgeOwner(request, workload);
}

std::optional<std::string_view> GangsPolicy::WordOf(const model::StringMap& annotations,
                                                    const model::StringMap& labels) const {
  const auto annotation = model::Find(annotations, names_.gate);
  return annotation ? annotation : model::Find(labels, names_.gate);
}

std::optional<std::string_view> GangsPolicy::WordOfObject(const Workload& workload) const {
  if (!workload.is_job() && !IsOfConfiguredKind(workload)) return std::nullopt;
  return WordOf(workload.annotations, workload.labels);
}

std::optional<std::string_view> GangsPolicy::WordOfPods(const Workload& workload) const {
  return WordOf(workload.pod.annotations, workload.pod.labels);
}

std::optional<std::string_view> GangsPolicy::WordFor(const Workload& workload) const {
  const auto word = WordOfPods(workload);
  return word ? word : WordOfObject(workload);
}

bool GangsPolicy::IsAsked(const Workload& workload) const {
  const auto word = WordFor(workload);
  return word ? word == kYes : IsDefault(workload);
}

bool GangsPolicy::StartsInTurn(const Workload& workload) const {
  return workload.in_turn && !WordOfPods(workload);
}

// Of a kind that is a gang by default, only what can be one.
bool GangsPolicy::IsDefault(const Workload& workload) const {
  const auto& kinds = config_.kinds;
  if (std::ranges::find(kinds, KindOf(workload)) == kinds.end()) return false;
  if (IsOfConfiguredKind(workload)) return !workload.in_turn;
  if (!workload.is_pod()) {
    return workload.job->indexed && IsAtOnce(*workload.job) && !IsPartOfOwner(workload);
  }
  const GangGroup* group = GroupOf(workload.pod);
  return group != nullptr && AnnotationOrLabel(workload.pod, group->size).has_value();
}

const GangGroup* GangsPolicy::GroupOf(const model::PodTemplate& pod) const {
  const auto found = std::ranges::find_if(
      config_.groups, [&pod](const GangGroup& group) { return !NameOfGroup(group, pod).empty(); });
  return found == config_.groups.end() ? nullptr : &*found;
}

absl::StatusOr<std::optional<model::Gang>> GangsPolicy::GangOf(const Workload& pod) const {
  model::StringMap annotations = pod.pod.annotations;
  const bool is_member = IsAsked(pod) || model::Find(annotations, names_.name) ||
                         model::Find(annotations, names_.size);
  if (!is_member) return std::nullopt;
  const GangGroup* group = GroupOf(pod.pod);
  AddIfMissing(names_.name, group != nullptr ? NameOfGroup(*group, pod.pod) : OwnerName(pod),
               annotations);
  if (group != nullptr) {
    AddIfMissing(names_.size, AnnotationOrLabel(pod.pod, group->size).value_or(""), annotations);
  }
  if (!model::Find(annotations, names_.size)) {
    return absl::InvalidArgumentError(
        names_.size + " is missing; write the number of pods of the gang on each of them");
  }
  if (!model::Find(annotations, names_.name)) {
    return absl::InvalidArgumentError(names_.name +
                                      " is missing; write one name on all pods of the gang");
  }
  return model::GangOf(annotations, names_);
}

std::optional<std::int64_t> GangsPolicy::SizeOf(const Workload& workload) const {
  if (IsOfConfiguredKind(workload)) return workload.gang_size;
  return workload.job ? std::optional(PodsAtOnce(*workload.job)) : std::nullopt;
}

bool GangsPolicy::MutatePod(Draft& draft, Remarks& remarks) const {
  // The API server refuses gates on pods that have a node.
  if (!draft.pod().node_name.empty()) return false;
  const auto gang = GangOf(draft.workload());
  if (!gang.ok() || !*gang || (*gang)->size < 2) return false;
  const std::string& name = (*gang)->name;
  const std::int32_t size = (*gang)->size;
  for (const auto& [annotation, value] :
       {std::pair(&names_.name, name), std::pair(&names_.size, std::to_string(size))}) {
    if (model::Find(draft.pod().annotations, *annotation)) continue;
    draft.SetAnnotation(Metadata::kPods, *annotation, value);
  }
  if (IsHeld(draft.pod())) return true;
  remarks.Changed("waits for all " + PodsText(size) + " of gang '" + name + "' (" +
                  HoldBack(name, draft) + ")");
  return true;
}

void GangsPolicy::MutateOwner(Draft& draft, Remarks& remarks) const {
  if (!IsAsked(draft.workload())) return;
  CopyToPods(draft);
  const Workload& workload = draft.workload();
  const bool is_sized = model::Find(workload.pod.annotations, names_.size).has_value();
  const bool is_in_turn = StartsInTurn(workload) || (workload.job && !IsAtOnce(*workload.job));
  if (is_sized || is_in_turn || IsPartOfOwner(workload)) return;
  const std::int64_t size = SizeOf(workload).value_or(0);
  if (!CanBeGang(size)) return;
  remarks.Changed("its " + PodsText(size) + " are a gang: they wait for each other (" + Holder() +
                  ")");
  draft.SetAnnotation(Metadata::kPods, names_.size, std::to_string(size));
}

// What an author writes beside the word that asks for the gang.
void GangsPolicy::CopyToPods(Draft& draft) const {
  if (!draft.workload().is_job() && !IsOfConfiguredKind(draft.workload())) return;
  const model::StringMap annotations = draft.workload().annotations;
  for (const auto* name :
       {&names_.name, &names_.size, &names_.topology, &names_.models, &names_.preflight}) {
    const auto value = model::Find(annotations, *name);
    if (!value || model::Find(draft.pod().annotations, *name)) continue;
    draft.SetAnnotation(Metadata::kPods, *name, std::string(*value));
  }
}

std::vector<Objection> GangsPolicy::JudgePod(const Request& request, const Workload& pod) const {
  Objections objections;
  if (!pod.pod.node_name.empty()) return objections;
  JudgeWords(pod, objections);
  const auto gang = GangOf(pod);
  if (!gang.ok()) objections.push_back(ObjectionOf(gang.status(), pod));
  // Whoever may update the pod may take the gate away.
  const bool waits = gang.ok() && *gang && (*gang)->size >= 2;
  if (!waits || request.operation != Operation::kCreate) return objections;
  if (!IsHeld(pod.pod)) objections.push_back(Unheld(PodsText((*gang)->size)));
  return objections;
}

std::vector<Objection> GangsPolicy::JudgeOwner(const Request& request,
                                               const Workload& workload) const {
  Objections objections;
  JudgeWords(workload, objections);
  JudgeAnnotations(workload, objections);
  // Of an update only those templates are seen that change, and a queue may start fewer pods.
  const bool is_update = request.operation == Operation::kUpdate;
  const bool is_queued = workload.job && workload.job->queued;
  const bool is_settled = is_update && (IsOfConfiguredKind(workload) || is_queued);
  if (objections.empty() && !is_settled) JudgeSize(workload, objections);
  return objections;
}

void GangsPolicy::JudgeWords(const Workload& workload, Objections& objections) const {
  const auto judge = [&](std::optional<std::string_view> word, const std::string& field) {
    if (!word || word == kYes || word == kNo) return;
    constexpr std::size_t kMost = 64;
    objections.push_back(
        {.field = field,
         .reason = "says " + names_.gate + ": '" + std::string(word->substr(0, kMost)) + "'",
         .advice = "write \"true\", or \"false\" for no gang"});
  };
  judge(WordOfPods(workload), MetadataField(workload));
  judge(WordOfObject(workload), "metadata");
}

// The name or the size may be missing in a template.
void GangsPolicy::JudgeAnnotations(const Workload& workload, Objections& objections) const {
  model::StringMap annotations = workload.pod.annotations;
  AddIfMissing(names_.name, "gang", annotations);
  AddIfMissing(names_.size, "1", annotations);
  const auto gang = model::GangOf(annotations, names_);
  if (!gang.ok()) objections.push_back(ObjectionOf(gang.status(), workload));
}

void GangsPolicy::JudgeSize(const Workload& workload, Objections& objections) const {
  const bool is_written = model::Find(workload.pod.annotations, names_.size).has_value();
  if (!is_written && WordFor(workload) != kYes) return;
  const bool is_known = SizeOf(workload).has_value();
  // The object may itself be a template of what makes the pods, as a TrainingRuntime is.
  if (!is_written && !is_known && IsOfConfiguredKind(workload) && WordOfPods(workload)) return;
  const bool is_part = IsPartOfOwner(workload);
  if (!is_written && (StartsInTurn(workload) || is_part || !is_known)) {
    JudgeMissingSize(workload, objections);
  } else if (!is_part) {
    JudgeMadeSize(workload, SizeOf(workload).value_or(0), objections);
  }
}

void GangsPolicy::JudgeMissingSize(const Workload& workload, Objections& objections) const {
  if (StartsInTurn(workload)) {
    const std::string advice = "write " + names_.gate +
                               ": \"true\" in the templates of pods that start together, instead "
                               "of on the " +
                               workload.kind;
    objections.push_back({.field = "spec",
                          .reason = "starts its pods in turn, so they cannot wait for each other",
                          .advice = advice});
    return;
  }
  const model::OwnerReference* owner = ControllingOwner(workload);
  const std::string part =
      IsPartOfOwner(workload)
          ? ": nobody says how many pods the " + owner->kind + " '" + owner->name + "' makes"
          : ": nobody says how many pods the " + workload.kind + " makes at once";
  objections.push_back({.field = PodAnnotationField(workload, names_.size),
                        .reason = "is missing" + part,
                        .advice = "write the number of pods of the gang, or list the kind in "
                                  "admission.frameworks or admission.templates"});
}

void GangsPolicy::JudgeMadeSize(const Workload& workload, std::int64_t size,
                                Objections& objections) const {
  const std::string field = PodAnnotationField(workload, names_.size);
  if (workload.job && !IsAtOnce(*workload.job)) {
    objections.push_back({.field = JobSpecField(workload) + ".completions",
                          .reason = "are more than parallelism, so pods of the gang would wait for "
                                    "others to end",
                          .advice = "write the same number, or " + names_.gate + ": \"false\""});
    return;
  }
  if (size > model::kMaxGangSize) {
    objections.push_back(
        {.field = field,
         .reason = "would be " + std::to_string(size) + ", more than the most pods of a gang",
         .advice = "make at most " + std::to_string(model::kMaxGangSize) + " pods, or write " +
                   names_.gate + ": \"false\""});
    return;
  }
  const auto written = model::Find(workload.pod.annotations, names_.size);
  // A gang with a name of its own may have pods of several objects.
  if (!written || size == 0 || model::Find(workload.pod.annotations, names_.name)) return;
  const auto given = model::ParseGangSize(*written);
  if (!given.ok() || *given == size) return;
  objections.push_back({.field = field,
                        .reason = "is " + std::to_string(*given) + ", but the " + workload.kind +
                                  " makes " + PodsText(size) + " at once",
                        .advice = "write " + std::to_string(size) +
                                  ", or leave it out; a gang that exists keeps its size"});
}

}  // namespace berth::policies::admission
