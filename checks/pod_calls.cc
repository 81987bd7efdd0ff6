#include "checks/pod_calls.h"

#include <nlohmann/json.hpp>

#include "kube/json_call.h"

namespace berth::checks {

std::string PodsPath(const std::string& namespace_name) {
  return "/api/v1/namespaces/" + namespace_name + "/pods";
}

absl::Status DeletePodAtOnce(kube::Transport& transport, const std::string& namespace_name,
                             const std::string& name, const std::string& uid) {
  const nlohmann::json body = {{"apiVersion", "v1"},
                               {"kind", "DeleteOptions"},
                               {"gracePeriodSeconds", 0},
                               {"preconditions", {{"uid", uid}}}};
  const absl::Status status = kube::CallJson(transport, kube::HttpMethod::kDelete,
                                             PodsPath(namespace_name) + '/' + name, body.dump())
                                  .status();
  // Aborted: another pod has its name.
  return absl::IsNotFound(status) || absl::IsAborted(status) ? absl::OkStatus() : status;
}

}  // namespace berth::checks
