#pragma once

#include <string>

#include "absl/status/status.h"
#include "kube/permission.h"
#include "kube/transport.h"

namespace berth::checks {

/// What pods of checks need at the API server in their namespace, besides the right to list pods.
inline constexpr kube::Permission kCheckPodPermissions[] = {{"", "pods", "create"},
                                                            {"", "pods", "delete"}};

/// Where the pods of a namespace are: "/api/v1/namespaces/berth-system/pods".
std::string PodsPath(const std::string& namespace_name);

/// Deletes the pod of that UID with a grace period of 0. Then kube-scheduler may use its devices at
/// once, and so does kubelet's device manager, while the container gets SIGTERM and ends (see
/// SpecOf()). A graceful deletion would take kubelet a second or two to confirm.
///
/// OK if it is gone. Other errors are those of kube::CallJson().
absl::Status DeletePodAtOnce(kube::Transport& transport, const std::string& namespace_name,
                             const std::string& name, const std::string& uid);

}  // namespace berth::checks
