#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "config/config.h"
#include "kube/api_config.h"
#include "kube/kubeconfig.h"

namespace berth::cli {

/// How a server reaches the API server: by the kubeconfig that its configuration names, else by the
/// credentials of its pod. Never by what the environment of whoever started it happens to name.
absl::StatusOr<kube::ApiConfig> ServerAccess(const config::KubernetesConfig& config,
                                             const kube::Environment& environment);

/// How a person reaches it, as with kubectl: by the first there is of `kubeconfig`, the file that
/// $KUBECONFIG names, ~/.kube/config and the credentials of the pod.
absl::StatusOr<kube::ApiConfig> PersonAccess(const std::string& kubeconfig,
                                             const std::string& context,
                                             const kube::Environment& environment);

}  // namespace berth::cli
