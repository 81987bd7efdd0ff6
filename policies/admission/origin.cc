#include "policies/admission/origin.h"

#include <algorithm>

namespace berth::policies::admission {

namespace {

// The user of a kube-controller-manager without --use-service-account-credentials.
constexpr std::string_view kControllerManager = "system:kube-controller-manager";
// k8s.io/apiserver/pkg/authentication/user/user.go, NodesGroup.
constexpr std::string_view kNodesGroup = "system:nodes";

}  // namespace

std::string ControllerOf(const User& user, const model::Workload& workload,
                         const std::vector<ControllerSpec>& controllers) {
  const model::OwnerReference* owner = ControllingOwner(workload);
  std::string found;
  for (const ControllerSpec& spec : controllers) {
    const bool owns = owner != nullptr && owner->kind == spec.owner;
    const bool is_it = user.name == spec.user || (owns && user.name == kControllerManager);
    // One account may make pods for several kinds; then the owner decides.
    if (is_it && (owns || found.empty())) found = spec.owner;
    if (is_it && owns) break;
  }
  return found;
}

bool IsOfDaemons(const Request& request, const model::Workload& workload) {
  return request.controller == "DaemonSet" || workload.kind == "DaemonSet";
}

bool IsExempt(const Request& request, const model::Workload& workload) {
  if (workload.is_job() && IsOfDaemons(request, workload)) return true;
  return std::ranges::find(request.user.groups, kNodesGroup) != request.user.groups.end();
}

}  // namespace berth::policies::admission
