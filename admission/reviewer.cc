#include "admission/reviewer.h"

#include <absl/strings/str_join.h>

#include <algorithm>
#include <string>
#include <utility>

#include "admission/object_templates.h"
#include "admission/patch.h"
#include "admission/templates.h"
#include "kube/json.h"
#include "kube/json_workload.h"
#include "policies/admission/framework_profiles.h"
#include "policies/admission/wording.h"

namespace berth::admission {

namespace {

using model::Workload;
using policies::admission::Mode;
using policies::admission::Operation;

/// The most bytes of one audit annotation. Audit logs have limits of their own.
constexpr std::size_t kMaxAudit = 1000;

struct Kind {
  std::string_view group;
  std::string_view kind;
};

constexpr Kind kObjects[] = {{"", "Pod"}, {"batch", "Job"}};
constexpr Kind kTemplates[] = {{"batch", "CronJob"},    {"apps", "Deployment"},
                               {"apps", "StatefulSet"}, {"apps", "ReplicaSet"},
                               {"apps", "DaemonSet"},   {"", "ReplicationController"}};

template <std::size_t N>
bool IsOneOf(const GroupVersionKind& kind, const Kind (&kinds)[N]) {
  return kind.version == "v1" && std::ranges::any_of(kinds, [&kind](const Kind& each) {
           return each.group == kind.group && each.kind == kind.kind;
         });
}

// Returns the API version in which Berth knows the kind; empty if it knows none. Deployments and
// their like were in the group extensions before Kubernetes 1.16.
std::string KnownVersion(const GroupVersionKind& kind) {
  const auto version_in = [&kind](const auto& kinds) -> std::string {
    for (const Kind& each : kinds) {
      const bool same_group = each.group == kind.group || kind.group == "extensions";
      if (each.kind != kind.kind || !same_group) continue;
      return each.group.empty() ? "v1" : std::string(each.group) + "/v1";
    }
    return "";
  };
  const std::string version = version_in(kObjects);
  return version.empty() ? version_in(kTemplates) : version;
}

// Whether the group is one of kube-apiserver's own. Those that are not listed end in .k8s.io, but
// so do groups of projects beside it, such as jobset.x-k8s.io and leaderworkerset.x-k8s.io.
bool IsBuiltIn(std::string_view group) {
  constexpr std::string_view kGroups[] = {"", "apps", "autoscaling", "batch", "policy"};
  return std::ranges::find(kGroups, group) != std::end(kGroups) ||
         (group.ends_with(".k8s.io") && !group.ends_with(".x-k8s.io"));
}

policies::admission::Request RequestOf(const Review& review, const NamespaceRules& rules) {
  return {.operation = review.operation,
          .namespace_name = review.namespace_name,
          .user = review.user,
          .mode = rules.mode,
          .accelerator_nodes_allowed = rules.accelerator_nodes_allowed};
}

void Warn(std::string_view text, Verdict& verdict) {
  verdict.answer.warnings.push_back(
      policies::admission::OneLine(text, policies::admission::kMaxWarning));
}

Verdict Unreadable(const absl::Status& error, Mode mode) {
  Verdict verdict{.unreadable = true};
  const std::string message(error.message());
  if (mode == Mode::kEnforce) {
    verdict.answer.denial = "berth: " + policies::admission::OneLine(message, kMaxAudit);
  } else {
    Warn("berth: not reviewed: " + message, verdict);
  }
  return verdict;
}

// For an object of a configured kind.
Verdict UnreadableTemplates(const ObjectTemplates& read) {
  const std::string advice = read.is_of_metadata
                                 ? "; correct the metadata"
                                 : "; correct this template, or take it out of the object";
  const std::string message(read.error.message());
  return Unreadable(absl::InvalidArgumentError(
                        policies::admission::OneLine(message, kMaxAudit - advice.size()) + advice),
                    Mode::kEnforce);
}

// Adds to what was said of the templates that could be read.
void TellOfUnread(const absl::Status& error, Mode mode, Verdict& verdict) {
  if (error.ok()) return;
  verdict.unreadable = true;
  verdict.pods_denied = verdict.pods_denied || mode == Mode::kEnforce;
  Warn("berth: not reviewed: " + std::string(error.message()), verdict);
}

Verdict UnknownKind(const GroupVersionKind& kind) {
  Verdict verdict;
  Warn("berth: unknown kind " + ToString(kind) +
           "; remove it from the webhook's rules, or list it in admission.templates",
       verdict);
  return verdict;
}

absl::StatusOr<Workload> WorkloadOf(const Review& review) {
  if (!review.object) return absl::InvalidArgumentError("object: is missing");
  return kube::WorkloadFromJson(*review.object, review.kind.kind, "");
}

// Removes what the API server, a kubelet or a scheduler adds to a pod that is stored.
void ForgetWhatIsAdded(Workload& workload) {
  if (!workload.is_pod()) return;
  workload.qos_class.clear();
  workload.pod.node_name.clear();
}

bool SamePods(const Workload& a, const Workload& b) {
  return a.template_field == b.template_field && a.pod == b.pod && a.job == b.job;
}

// Removes from `now` what is the same in `before`.
void LeaveOutUnchanged(const std::vector<Workload>& before, std::vector<Workload>& now) {
  std::erase_if(now, [&before](const Workload& workload) {
    return std::ranges::any_of(before,
                               [&](const Workload& old) { return SamePods(old, workload); });
  });
}

// Reads who created the object and its pods, and who owns it, whatever else it has.
absl::StatusOr<Workload> ReadOutline(simdjson::dom::element object, std::string_view kind) {
  kube::JsonParser parser;
  const auto outline = parser.Parse(OutlineOf(simdjson::minify(object)));
  if (!outline.ok()) return outline.status();
  return kube::WorkloadFromJson(*outline, kind, "");
}

}  // namespace

Reviewer::Reviewer(std::shared_ptr<const policies::admission::AdmissionEngine> engine,
                   std::vector<policies::admission::TemplateSpec> templates, bool kueue)
    : engine_(std::move(engine)), templates_(std::move(templates)), kueue_(kueue) {}

ObjectTemplates Reviewer::Read(const Review& review, simdjson::dom::element object) const {
  return ReadTemplates(review.kind, object, SpecsOf(review.kind), engine_->prefix());
}

std::vector<const policies::admission::TemplateSpec*> Reviewer::SpecsOf(
    const GroupVersionKind& kind) const {
  std::vector<const policies::admission::TemplateSpec*> specs;
  for (const policies::admission::TemplateSpec& spec : templates_) {
    if (spec.group == kind.group && spec.kind == kind.kind) specs.push_back(&spec);
  }
  return specs;
}

Reviewer::Subject Reviewer::SubjectOf(const Review& review) const {
  const bool is_written =
      review.operation == Operation::kCreate || review.operation == Operation::kUpdate;
  // Berth does not judge what subresources change in a pod or a template.
  if (!is_written || !review.sub_resource.empty()) return Subject::kNone;
  if (IsOneOf(review.kind, kObjects)) return Subject::kObject;
  if (IsOneOf(review.kind, kTemplates) || !SpecsOf(review.kind).empty()) {
    return Subject::kTemplates;
  }
  return Subject::kUnknownKind;
}

Verdict Reviewer::VerdictOf(policies::admission::Outcome outcome) const {
  Verdict verdict;
  verdict.answer.warnings = std::move(outcome.warnings);
  verdict.answer.denial = std::move(outcome.denial);
  verdict.pods_denied = outcome.pods_denied;
  for (const policies::admission::PolicyEffect& effect : outcome.effects) {
    const std::string text = effect.text.empty() ? "changed" : effect.text;
    verdict.answer.audit_annotations.emplace_back(
        effect.policy, policies::admission::OneLine(engine_->version() + ": " + text, kMaxAudit));
  }
  verdict.effects = std::move(outcome.effects);
  return verdict;
}

Verdict Reviewer::Mutate(const Review& review, const NamespaceRules& rules) const {
  const Subject subject = SubjectOf(review);
  if (subject == Subject::kUnknownKind) return UnknownKind(review.kind);
  if (subject == Subject::kTemplates) return MarkTemplates(review, rules);
  if (subject != Subject::kObject) return {};
  if (review.operation == Operation::kUpdate) return Keep(review, rules);
  const absl::StatusOr<Workload> workload = WorkloadOf(review);
  if (!workload.ok()) return Unreadable(workload.status(), rules.mode);
  policies::admission::Outcome outcome = engine_->Mutate(RequestOf(review, rules), *workload);
  std::string patch = JsonPatch(*review.object, *workload, outcome.workload);
  Verdict verdict = VerdictOf(std::move(outcome));
  verdict.answer.patch = std::move(patch);
  return verdict;
}

Verdict Reviewer::MarkTemplates(const Review& review, const NamespaceRules& rules) const {
  const bool marks = rules.mode == Mode::kEnforce && review.operation == Operation::kCreate;
  if (!marks || SpecsOf(review.kind).empty() || !review.object) return {};
  ObjectTemplates read = Read(review, *review.object);
  if (!read.error.ok()) return UnreadableTemplates(read);
  std::vector<model::StringMap> before;
  for (const Workload& workload : read.workloads) before.push_back(workload.pod.annotations);
  Verdict verdict = VerdictOf(engine_->MarkTemplates(RequestOf(review, rules), read.workloads));
  verdict.answer.patch = TemplatesPatch(read.found, before, read.workloads);
  return verdict;
}

// Says nothing about an object that cannot be read: Validate() does.
Verdict Reviewer::Keep(const Review& review, const NamespaceRules& rules) const {
  if (rules.mode != Mode::kEnforce || !review.old_object) return {};
  const absl::StatusOr<Workload> update = WorkloadOf(review);
  if (!update.ok()) return {};
  const auto stored = kube::WorkloadFromJson(*review.old_object, review.kind.kind, "");
  if (!stored.ok()) return {};
  policies::admission::Outcome outcome = engine_->Keep(RequestOf(review, rules), *update, *stored);
  std::string patch = JsonPatch(*review.object, *update, outcome.workload);
  Verdict verdict = VerdictOf(std::move(outcome));
  verdict.answer.patch = std::move(patch);
  return verdict;
}

// Of objects with templates only those of configured kinds are denied: what their templates claim
// of their pods is believed later.
Verdict Reviewer::Unread(const Review& known, const NamespaceRules& rules, std::string_view reason,
                         Denial cause) const {
  const Subject subject = SubjectOf(known);
  const bool is_judged = subject == Subject::kObject ||
                         (subject == Subject::kTemplates && !SpecsOf(known.kind).empty());
  const bool is_to_blame =
      known.operation != Operation::kUpdate || cause == Denial::kBusy || known.update_is_to_blame;
  const absl::Status error = absl::InvalidArgumentError(std::string(reason));
  Verdict verdict =
      is_judged && is_to_blame ? Unreadable(error, rules.mode) : AllowUnread(known, rules, error);
  verdict.answer.cause = cause;
  return verdict;
}

bool Reviewer::CanReadStored(const Review& update) const {
  return update.old_object && Read(update, *update.old_object).error.ok();
}

Verdict Reviewer::JudgeChange(const Review& update, const NamespaceRules& rules) const {
  const bool is_object = SubjectOf(update) == Subject::kObject;
  if (!is_object || !update.object || !update.old_object) return {};
  const auto before = ReadOutline(*update.old_object, update.kind.kind);
  if (!before.ok()) return {};
  const auto now = ReadOutline(*update.object, update.kind.kind);
  if (!now.ok()) return Unreadable(now.status(), rules.mode);
  return VerdictOf(engine_->JudgeUpdate(RequestOf(update, rules), *now, *before));
}

Verdict Reviewer::AllowUnread(const Review& update, const NamespaceRules& rules,
                              const absl::Status& error) const {
  Verdict verdict = JudgeChange(update, rules);
  if (verdict.answer.denial.empty()) TellOfUnread(error, Mode::kWarn, verdict);
  return verdict;
}

Verdict Reviewer::Validate(const Review& review, const NamespaceRules& rules) const {
  switch (SubjectOf(review)) {
    case Subject::kNone:
      return {};
    case Subject::kObject:
      return ValidateObject(review, rules);
    case Subject::kTemplates:
      return PreviewTemplates(review, rules);
    case Subject::kUnknownKind:
      return UnknownKind(review.kind);
  }
  return {};
}

Verdict Reviewer::Preview(const Review& review, const NamespaceRules& rules) const {
  const Subject subject = SubjectOf(review);
  if (subject == Subject::kObject) return Mutate(review, rules);
  return subject == Subject::kTemplates ? PreviewTemplates(review, rules) : Verdict();
}

absl::StatusOr<Fate> Reviewer::Foretell(const Review& review, const NamespaceRules& rules) const {
  const Subject subject = SubjectOf(review);
  if (subject == Subject::kObject) {
    absl::StatusOr<Workload> workload = WorkloadOf(review);
    if (!workload.ok()) return workload.status();
    ForgetWhatIsAdded(*workload);
    policies::admission::Outcome outcome = engine_->Mutate(RequestOf(review, rules), *workload);
    return Fate{.judged = true, .created = *std::move(workload), .outcome = std::move(outcome)};
  }
  if (subject != Subject::kTemplates || !review.object) return Fate();
  ObjectTemplates read = Read(review, *review.object);
  if (!read.error.ok()) return read.error;
  return Fate{.judged = true,
              .outcome = engine_->PreviewPods(RequestOf(review, rules), std::move(read.workloads))};
}

std::string Reviewer::WhyNotReviewed(const Review& review) const {
  if (SubjectOf(review) != Subject::kUnknownKind) return "";
  const std::string version = KnownVersion(review.kind);
  if (!version.empty()) {
    return ToString(review.kind) + " is an old API version; write apiVersion: " + version;
  }
  const auto pointers =
      review.object ? LikelyTemplates(*review.object) : std::vector<std::string>();
  const auto framework = policies::admission::FrameworkWith(review.kind.group, review.kind.kind);
  if (framework) {
    return ToString(review.kind) + " is a kind of a framework; list " +
           std::string(policies::admission::NameOf(*framework)) + " in admission.frameworks";
  }
  if (!pointers.empty()) {
    return ToString(review.kind) + " is an unknown kind with pod templates; list in " +
           "admission.templates its path " + absl::StrJoin(pointers, ", ");
  }
  if (IsBuiltIn(review.kind.group)) return "";
  return ToString(review.kind) + " is an unknown kind; if it has pods, Berth reviews them when " +
         "they are created";
}

Verdict Reviewer::ValidateObject(const Review& review, const NamespaceRules& rules) const {
  absl::StatusOr<Workload> before = Workload();
  if (review.old_object) {
    before = kube::WorkloadFromJson(*review.old_object, review.kind.kind, "");
    // The object is stored already and must stay writable.
    if (!before.ok()) return AllowUnread(review, rules, before.status());
  }
  absl::StatusOr<Workload> workload = WorkloadOf(review);
  if (!workload.ok()) return Unreadable(workload.status(), rules.mode);
  return VerdictOf(engine_->Validate(RequestOf(review, rules), *std::move(workload),
                                     review.old_object ? &*before : nullptr));
}

bool Reviewer::IsCountedByKueue(const Review& review) const {
  std::string_view queue;
  return kueue_ && !SpecsOf(review.kind).empty() &&
         (*review.object)["metadata"]["labels"][policies::admission::kQueueLabel].get(queue) ==
             simdjson::SUCCESS &&
         !queue.empty();
}

// A template of Kubernetes' own kinds that cannot be read only causes a warning: its pods would be
// denied, and what they claim is not believed. What templates of configured kinds claim is, so no
// such object gets in unread. One that is stored has to stay writable for its controller. What a
// template claims that could not be read before is new, to everybody but controllers.
Verdict Reviewer::PreviewTemplates(const Review& review, const NamespaceRules& rules) const {
  if (!review.object) return {};
  ObjectTemplates now = Read(review, *review.object);
  const ObjectTemplates stored =
      review.old_object ? Read(review, *review.old_object) : ObjectTemplates();
  const bool must_be_read =
      rules.mode == Mode::kEnforce && stored.error.ok() && !SpecsOf(review.kind).empty();
  if (!now.error.ok() && must_be_read) return UnreadableTemplates(now);
  LeaveOutUnchanged(stored.workloads, now.workloads);
  policies::admission::Outcome outcome =
      engine_->PreviewPods(RequestOf(review, rules), std::move(now.workloads), stored.workloads);
  const bool miscounted = outcome.requests_change && IsCountedByKueue(review);
  Verdict verdict = VerdictOf(std::move(outcome));
  TellOfUnread(now.error, rules.mode, verdict);
  if (miscounted) {
    Warn("berth: Kueue counts the requests in the templates; write those that the pods will get",
         verdict);
  }
  return verdict;
}

}  // namespace berth::admission
