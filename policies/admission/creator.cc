#include "policies/admission/creator.h"

#include <optional>

#include "model/annotation.h"

namespace berth::policies::admission {

namespace {

// The Job controller copies the template of the Job, where the policy recorded the creator when the
// Job was created.
bool HasItsCreatorOfAJob(const Request& request, const model::Workload& workload) {
  const model::OwnerReference* owner = ControllingOwner(workload);
  return request.controller == "Job" && owner != nullptr && model::IsJob(*owner);
}

}  // namespace

CreatorPolicy::CreatorPolicy(const PolicyContext& context, const NoConfig&)
    : annotation_(model::kCreatedByAnnotation.Below(context.prefix)) {}

bool CreatorPolicy::Mutate(const Request& request, Draft& draft, Remarks& remarks) const {
  const model::Workload& workload = draft.workload();
  const bool is_template = !workload.is_job() && !workload.is_pod();
  const bool of_controller = workload.is_pod() && !request.controller.empty();
  if (is_template || of_controller) {
    if (is_template || !HasItsCreatorOfAJob(request, workload)) Disclaim(draft, remarks);
    return false;
  }
  if (request.user.name.empty()) return false;
  Record(request.user.name, draft, remarks);
  return true;
}

void CreatorPolicy::Record(const std::string& user, Draft& draft, Remarks& remarks) const {
  const model::Workload& workload = draft.workload();
  for (const Metadata where : {Metadata::kObject, Metadata::kPods}) {
    const auto& annotations =
        where == Metadata::kObject ? ObjectAnnotations(workload) : workload.pod.annotations;
    const auto claimed = model::Find(annotations, annotation_);
    if (claimed && *claimed != user) {
      remarks.Changed(annotation_ + " set to '" + user + "', the creator, instead of '" +
                      std::string(*claimed) + "'");
    }
    draft.SetAnnotation(where, annotation_, user);
  }
}

void CreatorPolicy::Disclaim(Draft& draft, Remarks& remarks) const {
  const auto claimed = model::Find(draft.pod().annotations, annotation_);
  if (!claimed) return;
  remarks.Changed(annotation_ + " '" + std::string(*claimed) +
                  "' removed: a template cannot name the creator of its pods");
  draft.RemoveAnnotation(Metadata::kPods, annotation_);
}

}  // namespace berth::policies::admission
