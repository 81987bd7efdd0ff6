#include "policies/admission/retry_rights.h"

#include <algorithm>
#include <optional>

#include "model/label.h"

namespace berth::policies::admission {

namespace {

constexpr std::string_view kServiceAccount = "system:serviceaccount:";
constexpr std::string_view kOwn = "own";

bool IsAccountOfAnotherNamespace(const Request& request) {
  const std::string_view user = request.user.name;
  return user.starts_with(kServiceAccount) &&
         !user.substr(kServiceAccount.size()).starts_with(request.namespace_name + ":");
}

}  // namespace

bool IsRestartedByOwner(const Request& request, const model::Workload& workload,
                        const std::vector<std::string>& owners) {
  const model::OwnerReference* owner = ControllingOwner(workload);
  if (owner == nullptr) return false;
  if (std::ranges::find(owners, owner->group + "/" + owner->kind) == owners.end()) return false;
  // Whoever creates an object with templates of Jobs, its operator will create the Jobs.
  const bool is_foretold = !workload.template_field.empty();
  return is_foretold || request.controller == owner->kind || IsAccountOfAnotherNamespace(request);
}

bool AsksForOwnRetries(const model::Workload& workload, std::string_view annotation) {
  if (model::Find(workload.pod.annotations, annotation) == kOwn) return true;
  return workload.is_job() && model::Find(workload.annotations, annotation) == kOwn;
}

bool IsKindOfGroup(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view kind = text.substr(slash + 1);
  return model::IsDnsSubdomain(text.substr(0, slash)) && !kind.empty() &&
         kind.find('/') == std::string_view::npos;
}

}  // namespace berth::policies::admission
