#include "policies/admission/creator.h"

#include <optional>

namespace berth::admission {

CreatorPolicy::CreatorPolicy(const PolicyContext& context, const NoConfig&)
    : annotation_(context.prefix + "/created-by") {}

bool CreatorPolicy::Mutate(const Request& request, Draft& draft, Remarks& remarks) const {
  const model::Workload& workload = draft.workload();
  if (request.user.name.empty()) return false;
  if (!workload.is_job() && !workload.is_pod()) return false;
  if (workload.is_pod() && !request.controller.empty()) return false;
  const std::string& user = request.user.name;
  for (const Metadata where : {Metadata::kObject, Metadata::kPods}) {
    const auto& annotations =
        where == Metadata::kObject ? ObjectAnnotations(workload) : workload.pod.annotations;
    const auto claimed = model::Find(annotations, annotation_);
    if (claimed && *claimed != user) {
      remarks.Changed(annotation_ + " set to '" + user + "', who creates it, instead of '" +
                      std::string(*claimed) + "'");
    }
    draft.SetAnnotation(where, annotation_, user);
  }
  return true;
}

}  // namespace berth::admission
