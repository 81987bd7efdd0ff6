#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "config/config.h"
#include "kube/api_config.h"
#include "kube/kubeconfig.h"

namespace berth::cli {

/// How a server reaches the API server: by the kubeconfig that its configuration names or, if it
/// names none, by the credentials of its pod. The environment of whoever started it does not count,
/// except for proxies. Returns an error with advice if there is neither, or if a file is broken.
absl::StatusOr<kube::ApiConfig> ServerAccess(const config::KubernetesConfig& config,
                                             const kube::Environment& environment);

/// How a person reaches the API server, as with kubectl: by the first that exists of `kubeconfig`,
/// the files that $KUBECONFIG names, ~/.kube/config and the credentials of the pod. `context` is a
/// context of the kubeconfig; empty for its current one. If the kubeconfig names an exec plugin,
/// the first request runs it.
absl::StatusOr<kube::ApiConfig> PersonAccess(const std::string& kubeconfig,
                                             const std::string& context,
                                             const kube::Environment& environment);

/// The namespace of a person who names none: that of the context or, with the credentials of the
/// pod, that of the pod. "default" if there is none, or if the kubeconfig cannot be read.
std::string PersonNamespace(const std::string& kubeconfig, const std::string& context,
                            const kube::Environment& environment = kube::ProcessEnvironment());

/// The names of the contexts of the kubeconfig that PersonAccess() would read. Empty if there is
/// none, or if it cannot be read.
std::vector<std::string> PersonContexts(
    const std::string& kubeconfig,
    const kube::Environment& environment = kube::ProcessEnvironment());

}  // namespace berth::cli
