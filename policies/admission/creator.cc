#include "policies/admission/creator.h"

#include <optional>

#include "model/annotation.h"
#include "model/utf8.h"

namespace berth::policies::admission {

namespace {

std::string InQuotes(std::string_view name) { return "'" + std::string(name) + "'"; }

// The name of `request`'s user as it is recorded.
std::string Recorded(const Request& request) {
  return model::Shortened(request.user.name, CreatorPolicy::kMaxNameBytes);
}

// The Job controller copies the template of the Job, where the policy recorded the creator when the
// Job was created.
bool HasItsCreatorOfAJob(const Request& request, const model::Workload& workload) {
  const model::OwnerReference* owner = ControllingOwner(workload);
  return request.controller == "Job" && owner != nullptr && model::IsJob(*owner);
}

// Whether a controller copies the template of the pod's owner, where the policy recorded the
// creator.
bool CopiesRecordedCreator(const Request& request, const model::Workload& workload) {
  return request.owner_is_reviewed || HasItsCreatorOfAJob(request, workload);
}

}  // namespace

CreatorPolicy::CreatorPolicy(const PolicyContext& context, const NoConfig&)
    : annotation_(model::kCreatedByAnnotation.Below(context.prefix)) {}

bool CreatorPolicy::Mutate(const Request& request, Draft& draft, Remarks& remarks) const {
  const model::Workload& workload = draft.workload();
  const bool is_template = !workload.is_job() && !workload.is_pod();
  const bool of_controller = workload.is_pod() && !request.controller.empty();
  if (is_template || of_controller) {
    const bool is_reviewed =
        !workload.template_field.empty() || CopiesRecordedCreator(request, workload);
    if (!is_reviewed) Disclaim(draft, remarks);
    return false;
  }
  const auto inherited = model::Find(workload.pod.annotations, annotation_);
  const std::string creator =
      request.owner_is_reviewed && inherited ? std::string(*inherited) : Recorded(request);
  if (creator.empty()) return false;
  Record(creator, draft, remarks);
  return true;
}

std::vector<Objection> CreatorPolicy::JudgeUpdate(const Request& request,
                                                  const model::Workload& workload,
                                                  const model::Workload& before) const {
  const bool has_pods = workload.is_pod() || workload.is_job();
  if (!has_pods || CopiesRecordedCreator(request, workload)) return {};
  const auto claimed = model::Find(workload.pod.annotations, annotation_);
  const auto stored = model::Find(before.pod.annotations, annotation_);
  if (claimed == stored) return {};
  return {{.field = PodAnnotationField(workload, annotation_),
           .reason = (claimed ? "names " + InQuotes(*claimed) : "is removed") +
                     ", but the stored " + (workload.is_pod() ? "pod" : "Job") + " names " +
                     (stored ? InQuotes(*stored) : "nobody"),
           .advice = stored ? "write " + InQuotes(*stored) : "remove it"}};
}

void CreatorPolicy::MutateTemplate(const Request& request, Draft& draft, Remarks& remarks) const {
  if (request.user.name.empty() || request.owner_is_reviewed) return;
  Record(Recorded(request), Metadata::kPods, draft, remarks);
}

std::vector<Objection> CreatorPolicy::JudgeTemplate(const Request& request,
                                                    const model::Workload& workload) const {
  if (request.user.name.empty() || !request.controller.empty()) return {};
  const auto claimed = model::Find(workload.pod.annotations, annotation_);
  if (!claimed || *claimed == Recorded(request)) return {};
  return {{.field = PodAnnotationField(workload, annotation_),
           .reason = "names '" + std::string(*claimed) + "', who does not write the template",
           .advice = "remove it"}};
}

void CreatorPolicy::Record(const std::string& user, Draft& draft, Remarks& remarks) const {
  for (const Metadata where : {Metadata::kObject, Metadata::kPods}) {
    Record(user, where, draft, remarks);
  }
}

void CreatorPolicy::Record(const std::string& user, Metadata where, Draft& draft,
                           Remarks& remarks) const {
  const model::Workload& workload = draft.workload();
  const auto& annotations =
      where == Metadata::kObject ? ObjectAnnotations(workload) : workload.pod.annotations;
  const auto claimed = model::Find(annotations, annotation_);
  if (claimed && *claimed != user) {
    remarks.Changed(annotation_ + " set to '" + user + "', the creator, instead of '" +
                    std::string(*claimed) + "'");
  }
  draft.SetAnnotation(where, annotation_, user);
}

void CreatorPolicy::Disclaim(Draft& draft, Remarks& remarks) const {
  const auto claimed = model::Find(draft.pod().annotations, annotation_);
  if (!claimed) return;
  remarks.Changed(annotation_ + " '" + std::string(*claimed) +
                  "' removed: a template cannot name the creator of its pods");
  draft.RemoveAnnotation(Metadata::kPods, annotation_);
}

}  // namespace berth::policies::admission
