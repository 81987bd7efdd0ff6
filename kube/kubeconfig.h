#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/api_config.h"

// Finds the API server and the credentials for it. Every error names the file and the field, and
// says what to write instead. All functions read files, so they may block, but they do not use the
// network.

namespace berth::kube {

/// Reads one context of a kubeconfig file; the current one if `context` is empty. Certificates and
/// keys are read once, so that mistakes in them are reported here. Exec plugins, auth providers,
/// passwords and impersonation are rejected. The environment's proxy is not used; see
/// LoadProxied().
///
/// Returns InvalidArgument if the file's content cannot be used, and NotFound, PermissionDenied or
/// another error of the system if the file cannot be read.
absl::StatusOr<ApiConfig> LoadKubeconfig(const std::string& path, const std::string& context = {});

/// Returns the namespace of a context of a kubeconfig file, or of the current one: that of whoever
/// asks for none. Empty if it has none. Errors are those of LoadKubeconfig().
absl::StatusOr<std::string> NamespaceIn(const std::string& path, const std::string& context = {});

/// Returns the names of the contexts of a kubeconfig file, in their order. Errors are those of
/// LoadKubeconfig().
absl::StatusOr<std::vector<std::string>> ContextsOf(const std::string& path);

/// Returns the value of an environment variable, or empty if it is not set.
using Environment = std::function<std::string(const std::string& name)>;

/// Like LoadKubeconfig(), but uses the environment's proxy if the file names none; see proxy.h.
absl::StatusOr<ApiConfig> LoadProxied(const std::string& path, const Environment& environment,
                                      const std::string& context = {});

/// Returns the configuration for the service account of the pod that this process runs in: from
/// KUBERNETES_SERVICE_HOST and _PORT, and from the files `token` and `ca.crt` in `directory`. Uses
/// the environment's proxy. Returns FailedPrecondition outside of a cluster, and if a file cannot
/// be read.
absl::StatusOr<ApiConfig> LoadInCluster(
    const Environment& environment,
    const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");

/// Returns the first of these that is given: the file `path`; the file that $KUBECONFIG names; the
/// service account of this pod. `context` is for files only. Returns InvalidArgument if $KUBECONFIG
/// names several files, and the errors of LoadProxied() and LoadInCluster().
absl::StatusOr<ApiConfig> FindApiConfig(const std::string& path, const Environment& environment,
                                        const std::string& context = {});

/// The environment of this process.
Environment ProcessEnvironment();

}  // namespace berth::kube
