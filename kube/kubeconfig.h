#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "kube/api_config.h"

// Who finds the API server. Every error names the file and the field, and what to write instead.

namespace berth::kube {

/// Reads one context of a kubeconfig file, the current one if `context` is empty. Certificates and
/// keys are looked at once, so that a mistake in them shows here. Exec plugins, auth providers,
/// passwords and impersonation are refused. The environment's proxy is not looked at; see proxy.h.
absl::StatusOr<ApiConfig> LoadKubeconfig(const std::string& path, const std::string& context = {});

/// The value of an environment variable; empty where it is not set.
using Environment = std::function<std::string(const std::string& name)>;

/// LoadKubeconfig(), with the environment's proxy where the file names none.
absl::StatusOr<ApiConfig> LoadProxied(const std::string& path, const Environment& environment,
                                      const std::string& context = {});

/// The service account of the pod we run in: KUBERNETES_SERVICE_HOST and _PORT, and `token` and
/// `ca.crt` in `directory`. FailedPrecondition outside of a cluster.
absl::StatusOr<ApiConfig> LoadInCluster(
    const Environment& environment,
    const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");

/// The first of: `path` unless it is empty, the file that $KUBECONFIG names, in-cluster
/// credentials. `context` is of the file.
absl::StatusOr<ApiConfig> FindApiConfig(const std::string& path, const Environment& environment,
                                        const std::string& context = {});

/// The environment of this process.
Environment ProcessEnvironment();

}  // namespace berth::kube
